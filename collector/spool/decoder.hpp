// Walks over records and passes each, checked and typed, to a visitor.
//
// A record is checked before use: its size lies inside the bytes, is aligned, and is at least that
// of its type. Records of unknown types are skipped. Decoding stops at the first invalid header,
// because the records after it cannot be found.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <tuple>

#include "common/wire/chain_records.hpp"
#include "common/wire/cuda_records.hpp"
#include "common/wire/kernel_records.hpp"
#include "common/wire/mpi_records.hpp"
#include "common/wire/nvtx_records.hpp"
#include "common/wire/opengl_records.hpp"
#include "common/wire/openmp_records.hpp"
#include "common/wire/product_records.hpp"
#include "common/wire/sample_records.hpp"
#include "common/wire/shmem_records.hpp"
#include "common/wire/stack_records.hpp"
#include "common/wire/thinning_records.hpp"
#include "common/wire/torch_records.hpp"
#include "common/wire/ucx_records.hpp"
#include "common/wire/vulkan_records.hpp"

namespace prof::spool {

struct DecodeStats {
  std::uint64_t records = 0;
  std::uint64_t unknown = 0;
  std::uint64_t corrupt_bytes = 0;
};

template <class Record>
Record record_at(const std::byte* at) {
  Record record;
  std::memcpy(&record, at, sizeof record);
  return record;
}

// Returns the size of the first record, of any type; 0: its header is invalid, or there is no
// record.
inline std::size_t record_size(std::span<const std::byte> bytes) {
  if (bytes.size() < sizeof(wire::RecordHeader)) return 0;
  const std::size_t size = record_at<wire::RecordHeader>(bytes.data()).size;
  const bool makes_sense = size >= sizeof(wire::RecordHeader) &&
                           size % wire::kRecordAlignment == 0 && size <= bytes.size();
  return makes_sense ? size : 0;
}

namespace detail {
// The struct of each record type. visit_any() handles types with a tail.
template <wire::RecordType type, class Record_>
struct Entry {
  static constexpr wire::RecordType kType = type;
  using Record = Record_;
};
using Catalog =
    std::tuple<Entry<wire::RecordType::kThread, wire::ThreadRecord>,
               Entry<wire::RecordType::kFunction, wire::FunctionRecord>,
               Entry<wire::RecordType::kCall, wire::CallRecord>,
               Entry<wire::RecordType::kShortCalls, wire::ShortCallsRecord>,
               Entry<wire::RecordType::kWeight, wire::WeightRecord>,
               Entry<wire::RecordType::kUnrecorded, wire::UnrecordedRecord>,
               Entry<wire::RecordType::kThinning, wire::ThinningRecord>,
               Entry<wire::RecordType::kNvtxPush, wire::NvtxPushRecord>,
               Entry<wire::RecordType::kNvtxPop, wire::NvtxPopRecord>,
               Entry<wire::RecordType::kNvtxPushEx, wire::NvtxEventRecord>,
               Entry<wire::RecordType::kNvtxMark, wire::NvtxEventRecord>,
               Entry<wire::RecordType::kNvtxStart, wire::NvtxEventRecord>,
               Entry<wire::RecordType::kNvtxEnd, wire::NvtxEndRecord>,
               Entry<wire::RecordType::kNvtxDomain, wire::NvtxDomainRecord>,
               Entry<wire::RecordType::kNvtxDomainEnd, wire::NvtxDomainEndRecord>,
               Entry<wire::RecordType::kNvtxCategory, wire::NvtxCategoryRecord>,
               Entry<wire::RecordType::kThreadName, wire::ThreadNameRecord>,
               Entry<wire::RecordType::kRankVariable, wire::RankVariableRecord>,
               Entry<wire::RecordType::kOverhead, wire::OverheadRecord>,
               Entry<wire::RecordType::kDiagnostic, wire::DiagnosticRecord>,
               Entry<wire::RecordType::kCapture, wire::CaptureRecord>,
               Entry<wire::RecordType::kFile, wire::FileRecord>,
               Entry<wire::RecordType::kFileCall, wire::FileCallRecord>,
               Entry<wire::RecordType::kEventChain, wire::EventChainRecord>,
               Entry<wire::RecordType::kPythonSample, wire::PythonSampleRecord>,
               Entry<wire::RecordType::kStackNode, wire::StackNodeRecord>,
               Entry<wire::RecordType::kCpuSampleNode, wire::CpuSampleNodeRecord>,
               Entry<wire::RecordType::kCudaCall, wire::CudaCallRecord>,
               Entry<wire::RecordType::kCudaKernel, wire::CudaKernelRecord>,
               Entry<wire::RecordType::kCudaMemcpy, wire::CudaMemcpyRecord>,
               Entry<wire::RecordType::kCudaMemset, wire::CudaMemsetRecord>,
               Entry<wire::RecordType::kCudaSync, wire::CudaSyncRecord>,
               Entry<wire::RecordType::kCudaEvent, wire::CudaEventRecord>,
               Entry<wire::RecordType::kCudaGraphLaunch, wire::CudaGraphLaunchRecord>,
               Entry<wire::RecordType::kCudaMemory, wire::CudaMemoryRecord>,
               Entry<wire::RecordType::kCudaPool, wire::CudaPoolRecord>,
               Entry<wire::RecordType::kCudaContext, wire::CudaContextRecord>,
               Entry<wire::RecordType::kCudaStream, wire::CudaStreamRecord>,
               Entry<wire::RecordType::kCudaDevice, wire::CudaDeviceRecord>,
               Entry<wire::RecordType::kCudaGraphEvent, wire::CudaGraphEventRecord>,
               Entry<wire::RecordType::kCudaOverhead, wire::CudaOverheadRecord>,
               Entry<wire::RecordType::kCudaUnifiedMemory, wire::CudaUnifiedMemoryRecord>,
               Entry<wire::RecordType::kCudaName, wire::CudaNameRecord>,
               Entry<wire::RecordType::kCudaExternalId, wire::CudaExternalIdRecord>,
               Entry<wire::RecordType::kCudaRecordedCall, wire::CudaRecordedCallRecord>,
               Entry<wire::RecordType::kCudaHostFunction, wire::CudaHostFunctionRecord>,
               Entry<wire::RecordType::kCudaContextSwitch, wire::CudaContextSwitchRecord>,
               Entry<wire::RecordType::kCudaPcSlice, wire::CudaPcSliceRecord>,
               Entry<wire::RecordType::kNvtxPopPayload, wire::NvtxPopPayloadRecord>,
               Entry<wire::RecordType::kNvtxEndPayload, wire::NvtxEndPayloadRecord>,
               Entry<wire::RecordType::kNvtxSemantics, wire::NvtxSemanticsRecord>,
               Entry<wire::RecordType::kNvtxScope, wire::NvtxScopeRecord>,
               Entry<wire::RecordType::kNvtxTimeDomain, wire::NvtxTimeDomainRecord>,
               Entry<wire::RecordType::kNvtxTimeSync, wire::NvtxTimeSyncRecord>,
               Entry<wire::RecordType::kNvtxCounter, wire::NvtxCounterRecord>,
               Entry<wire::RecordType::kNvtxSample, wire::NvtxSampleRecord>,
               Entry<wire::RecordType::kNvtxSampleBatch, wire::NvtxSampleBatchRecord>,
               Entry<wire::RecordType::kNvtxDeferred, wire::NvtxDeferredRecord>,
               Entry<wire::RecordType::kNvtxSync, wire::NvtxSyncRecord>,
               Entry<wire::RecordType::kNvtxMemory, wire::NvtxMemoryRecord>,
               Entry<wire::RecordType::kNvtxGraphRange, wire::NvtxGraphRangeRecord>,
               Entry<wire::RecordType::kKernelProfile, wire::KernelProfileRecord>,
               Entry<wire::RecordType::kKernelMetric, wire::KernelMetricRecord>,
               Entry<wire::RecordType::kKernelMetricName, wire::KernelMetricNameRecord>,
               Entry<wire::RecordType::kKernelSeen, wire::KernelSeenRecord>,
               Entry<wire::RecordType::kMpiMessage, wire::MpiMessageRecord>,
               Entry<wire::RecordType::kMpiCollective, wire::MpiCollectiveRecord>,
               Entry<wire::RecordType::kMpiRequest, wire::MpiRequestRecord>,
               Entry<wire::RecordType::kMpiCall, wire::MpiCallRecord>,
               Entry<wire::RecordType::kMpiCommunicator, wire::MpiCommunicatorRecord>,
               Entry<wire::RecordType::kOpenMpBegin, wire::OpenMpBeginRecord>,
               Entry<wire::RecordType::kOpenMpEnd, wire::OpenMpEndRecord>,
               Entry<wire::RecordType::kCodeAddress, wire::CodeAddressRecord>,
               Entry<wire::RecordType::kOpenAcc, wire::OpenAccRecord>,
               Entry<wire::RecordType::kVulkanCall, wire::VulkanCallRecord>,
               Entry<wire::RecordType::kVulkanLabel, wire::VulkanLabelRecord>,
               Entry<wire::RecordType::kVulkanName, wire::VulkanNameRecord>,
               Entry<wire::RecordType::kVulkanPipeline, wire::VulkanPipelineRecord>,
               Entry<wire::RecordType::kVulkanMemory, wire::VulkanMemoryRecord>,
               Entry<wire::RecordType::kVulkanWorkload, wire::VulkanWorkloadRecord>,
               Entry<wire::RecordType::kVulkanClock, wire::VulkanClockRecord>,
               Entry<wire::RecordType::kMatrixProduct, wire::MatrixProductRecord>,
               Entry<wire::RecordType::kOpenGlCall, wire::OpenGlCallRecord>,
               Entry<wire::RecordType::kOpenGlGroup, wire::OpenGlGroupRecord>,
               Entry<wire::RecordType::kOpenGlWorkload, wire::OpenGlWorkloadRecord>,
               Entry<wire::RecordType::kOpenGlGpuGroup, wire::OpenGlGpuGroupRecord>,
               Entry<wire::RecordType::kUcpTransfer, wire::UcpTransferRecord>,
               Entry<wire::RecordType::kUcpCall, wire::UcpCallRecord>,
               Entry<wire::RecordType::kUcpWorker, wire::UcpWorkerRecord>,
               Entry<wire::RecordType::kShmemCall, wire::ShmemCallRecord>,
               Entry<wire::RecordType::kTorchMemory, wire::TorchMemoryRecord>>;

enum class Visit { kDone, kUnknown, kCorrupt };

template <class Record, class Visitor>
Visit visit_record(const std::byte* at, std::uint16_t size, Visitor& visitor) {
  if (size < sizeof(Record)) return Visit::kCorrupt;
  if constexpr (requires(const Record& r) { visitor(r); }) visitor(record_at<Record>(at));
  return Visit::kDone;
}

template <class Visitor>
Visit visit_string(const std::byte* at, std::uint16_t size, Visitor& visitor) {
  using wire::StringRecord;
  if (size < sizeof(StringRecord)) return Visit::kCorrupt;
  const auto record = record_at<StringRecord>(at);
  if (record.header.aux > size - sizeof(StringRecord)) return Visit::kCorrupt;
  if constexpr (requires(std::string_view text) { visitor(record, text); })
    visitor(record, std::string_view(reinterpret_cast<const char*>(at) + sizeof(StringRecord),
                                     record.header.aux));
  return Visit::kDone;
}

// Visits a record that is followed by `aux` items of `unit` bytes.
template <class Record, class Visitor>
Visit visit_with_tail(const std::byte* at, std::uint16_t size, std::size_t unit, Visitor& visitor) {
  if (size < sizeof(Record)) return Visit::kCorrupt;
  const auto record = record_at<Record>(at);
  if (record.header.aux > (size - sizeof(Record)) / unit) return Visit::kCorrupt;
  if constexpr (requires(std::span<const std::byte> tail) { visitor(record, tail); })
    visitor(record, std::span(at + sizeof(Record), record.header.aux * unit));
  return Visit::kDone;
}

template <class Visitor, class... Entries>
Visit visit_any(const wire::RecordHeader& header, const std::byte* at, Visitor& visitor,
                std::tuple<Entries...>*) {
  Visit outcome = Visit::kUnknown;
  if (header.type == wire::RecordType::kString) return visit_string(at, header.size, visitor);
  if (header.type == wire::RecordType::kPythonCode)
    return visit_with_tail<wire::PythonCodeRecord>(at, header.size, 1, visitor);
  if (header.type == wire::RecordType::kChain)
    return visit_with_tail<wire::ChainRecord>(at, header.size, sizeof(wire::ChainFrame), visitor);
  if (header.type == wire::RecordType::kStack)
    return visit_with_tail<wire::StackRecord>(at, header.size, 1, visitor);
  if (header.type == wire::RecordType::kNvtxPayload)
    return visit_with_tail<wire::NvtxPayloadRecord>(at, header.size, 1, visitor);
  if (header.type == wire::RecordType::kCudaPcSample)
    return visit_with_tail<wire::CudaPcSampleRecord>(at, header.size, sizeof(wire::CudaPcStall),
                                                     visitor);
  if (header.type == wire::RecordType::kCudaCubin)
    return visit_with_tail<wire::CudaCubinRecord>(at, header.size, 1, visitor);
  if (header.type == wire::RecordType::kKernelInstruction)
    return visit_with_tail<wire::KernelInstructionRecord>(at, header.size,
                                                          sizeof(wire::KernelCount), visitor);
  if (header.type == wire::RecordType::kNvtxSchema)
    return visit_with_tail<wire::NvtxSchemaRecord>(at, header.size, sizeof(wire::NvtxSchemaEntry),
                                                   visitor);
  if (header.type == wire::RecordType::kNvtxEnum)
    return visit_with_tail<wire::NvtxEnumRecord>(at, header.size, sizeof(wire::NvtxEnumValue),
                                                 visitor);
  static_cast<void>(
      ((header.type == Entries::kType &&
        (outcome = visit_record<typename Entries::Record>(at, header.size, visitor), true)) ||
       ...));
  return outcome;
}
}  // namespace detail

// The visitor has an overload for each record struct that it wants: `visitor(const XRecord&)`, and
// `visitor(const StringRecord&, std::string_view)` with a text that points into `bytes`. For
// PythonCodeRecord, ChainRecord, StackRecord and those of CUDA and NVTX with items the second
// parameter is the tail, a std::span<const std::byte> into `bytes`. Records without an overload are
// skipped.
template <class Visitor>
DecodeStats decode(std::span<const std::byte> bytes, Visitor&& visitor) {
  DecodeStats stats;
  while (const std::size_t size = record_size(bytes)) {
    const std::byte* at = bytes.data();
    const auto outcome = detail::visit_any(record_at<wire::RecordHeader>(at), at, visitor,
                                           static_cast<detail::Catalog*>(nullptr));
    if (outcome == detail::Visit::kCorrupt) break;
    if (outcome == detail::Visit::kUnknown) ++stats.unknown;
    ++stats.records;
    bytes = bytes.subspan(size);
  }
  stats.corrupt_bytes = bytes.size();
  return stats;
}

}  // namespace prof::spool
