#include "collector/ingest/records/record_passes.hpp"

#include <algorithm>
#include <memory_resource>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "collector/spool/decoder.hpp"

namespace prof::ingest {

namespace {

using ThreadKey = std::pair<std::uint32_t, std::uint32_t>;  // serial, tid
using Pieces = std::span<const spool::Piece* const>;

struct DefinitionVisitor {
  RowBuilders& to;
  std::uint32_t serial, tid;

  void operator()(const wire::StringRecord& record, std::string_view text) {
    to.strings.define(record.hash, text);
  }
  void operator()(const wire::FunctionRecord& record) { to.functions.define(record); }
  void operator()(const wire::ShortCallsRecord& record) {
    to.thinning.has_short_calls(serial, tid, record.header.aux);
  }
  void operator()(const wire::WeightRecord& record) { to.thinning.define(record); }
  void operator()(const wire::UnrecordedRecord& record) { to.thinning.define(serial, record); }
  void operator()(const wire::PythonCodeRecord& record, std::span<const std::byte> lines) {
    to.chains.define(record, lines);
    to.compiled.define(serial, record);
  }
  void operator()(const wire::ChainRecord& record, std::span<const std::byte> frames) {
    to.chains.define(record, frames);
  }
  void operator()(const wire::CudaContextRecord& record) { to.cuda.define(serial, record); }
  void operator()(const wire::CudaGraphEventRecord& record) { to.cuda.define(serial, record); }
  void operator()(const wire::CudaEventRecord& record) { to.cuda.define(serial, record); }
  void operator()(const wire::CudaSyncRecord& record) { to.cuda.define(serial, record); }
  void operator()(const wire::CudaStreamRecord& record) { to.cuda.define(serial, record); }
  void operator()(const wire::CudaCallRecord& record) {
    to.cuda.define_call(serial, record.function, record.header.aux);
  }
  void operator()(const wire::CudaRecordedCallRecord& record) {
    to.cuda.define_call(serial, record.function, record.header.aux);
  }
  void operator()(const wire::CodeAddressRecord& record) { to.places.define(serial, record); }
  void operator()(const wire::OpenMpEndRecord& record) { to.openmp.define(serial, record); }
  void operator()(const wire::VulkanCallRecord& record) { to.vulkan.define(serial, record); }
  void operator()(const wire::VulkanLabelRecord& record) { to.vulkan.define(serial, record); }
  void operator()(const wire::VulkanNameRecord& record) { to.vulkan.define(serial, record); }
  void operator()(const wire::VulkanClockRecord& record) { to.vulkan.define(serial, record); }
  void operator()(const wire::KernelMetricNameRecord& record) { to.kernel_profiles.define(record); }
  void operator()(const wire::KernelSeenRecord& record) { to.kernel_profiles.define(record); }
  void operator()(const wire::NvtxSchemaRecord& record, std::span<const std::byte> entries) {
    to.nvtx_schemas.define(serial, record, entries);
  }
  void operator()(const wire::NvtxEnumRecord& record, std::span<const std::byte> values) {
    to.nvtx_schemas.define(serial, record, values);
  }
  void operator()(const wire::NvtxSemanticsRecord& record) {
    to.nvtx_schemas.define(serial, record);
  }
  void operator()(const wire::NvtxScopeRecord& record) { to.nvtx_schemas.define(serial, record); }
  void operator()(const wire::NvtxTimeDomainRecord& record) {
    to.nvtx_times.define(serial, record);
  }
  void operator()(const wire::NvtxTimeSyncRecord& record) { to.nvtx_times.define(serial, record); }
  void operator()(const wire::NvtxSyncRecord& record) { to.sync_objects.define(serial, record); }
  void operator()(const wire::NvtxCounterRecord& record) {
    to.nvtx_counters.define(serial, record);
  }
};

// Passes the records of one thread to the builders.
class RowVisitor {
 public:
  RowVisitor(RowBuilders& builders, const ThreadKey& thread)
      : to_(builders),
        serial_(thread.first),
        tid_(thread.second),
        global_tid_(builders.processes.global_tid_of(serial_, tid_)) {}

  // A second ThreadRecord means that the kernel gave the same tid to a later thread.
  void operator()(const wire::ThreadRecord& record) {
    to_.nvtx.end_thread();
    to_.openmp.end_thread();
    to_.thread_names.add(serial_, tid_, record);
  }
  void operator()(const wire::ThreadNameRecord& record) {
    to_.nvtx.thread_name(record);
    to_.thread_names.add(serial_, record);
  }
  void operator()(const wire::RankVariableRecord& record) { to_.ranks.add(serial_, record); }
  void operator()(const wire::OverheadRecord& record) {
    to_.diagnostics.add(serial_, global_tid_, record);
  }
  void operator()(const wire::DiagnosticRecord& record) { to_.diagnostics.add(serial_, record); }

  void operator()(const wire::EventChainRecord& record) { to_.chains.announce(record); }
  void operator()(const wire::StackNodeRecord& record) { to_.chains.announce(record); }
  void operator()(const wire::CpuSampleNodeRecord& record) {
    to_.cpu.add_own_sample(global_tid_, record);
  }
  void operator()(const wire::PythonSampleRecord& record) {
    const std::int64_t time = to_.clock.to_ns(record.time);
    if (to_.window_length && (time < 0 || time > *to_.window_length)) return;
    to_.last_python_sample = std::max(to_.last_python_sample, time);
    const bool waits = (record.header.flags & wire::kPythonWait) != 0;
    to_.writer.add(waits ? "PROF_PYTHON_WAITS" : "PROF_PYTHON_SAMPLES",
                   {time, to_.processes.global_tid_of(serial_, record.header.aux),
                    to_.chains.sample_chain(record.chain)});
  }

  void operator()(const wire::CallRecord& record) { to_.calls.call(global_tid_, record); }
  void operator()(const wire::MatrixProductRecord& record) {
    to_.calls.product(global_tid_, record);
  }
  void operator()(const wire::ShortCallsRecord& record) {
    to_.short_calls.add(global_tid_, record);
  }
  void operator()(const wire::WeightRecord& record) { to_.thinning.weight(record); }
  void operator()(const wire::ThinningRecord& record) { to_.thinning.add(serial_, record); }
  void operator()(const wire::FileRecord& record) { to_.files.file(serial_, record); }
  void operator()(const wire::FileCallRecord& record) {
    to_.calls.file_call(serial_, global_tid_, record);
  }

  void operator()(const wire::MpiMessageRecord& record) { to_.mpi.message(global_tid_, record); }
  void operator()(const wire::MpiCollectiveRecord& record) {
    to_.mpi.collective(global_tid_, record);
  }
  void operator()(const wire::MpiRequestRecord& record) { to_.mpi.request(global_tid_, record); }
  void operator()(const wire::MpiCallRecord& record) { to_.mpi.call(global_tid_, record); }
  void operator()(const wire::MpiCommunicatorRecord& record) {
    to_.mpi.communicator(serial_, global_tid_, record);
  }

  void operator()(const wire::UcpTransferRecord& record) { to_.ucx.transfer(global_tid_, record); }
  void operator()(const wire::UcpCallRecord& record) { to_.ucx.call(global_tid_, record); }
  void operator()(const wire::UcpWorkerRecord& record) { to_.ucx.worker(global_tid_, record); }
  void operator()(const wire::ShmemCallRecord& record) { to_.shmem.call(global_tid_, record); }
  void operator()(const wire::TorchMemoryRecord& record) {
    to_.torch_memory.add(global_tid_, record);
  }

  void operator()(const wire::OpenMpBeginRecord& record) { to_.openmp.begin(record); }
  void operator()(const wire::OpenMpEndRecord& record) { to_.openmp.end(record); }
  void operator()(const wire::OpenAccRecord& record) {
    to_.openacc.add(serial_, global_tid_, record);
  }
  void operator()(const wire::OpenGlCallRecord& record) { to_.opengl.call(global_tid_, record); }
  void operator()(const wire::OpenGlGroupRecord& record) {
    to_.opengl.group(serial_, global_tid_, record);
  }
  void operator()(const wire::OpenGlWorkloadRecord& record) {
    to_.opengl.workload(global_tid_, record);
  }
  void operator()(const wire::OpenGlGpuGroupRecord& record) {
    to_.opengl.gpu_group(global_tid_, record);
  }

  void operator()(const wire::VulkanCallRecord& record) {
    to_.vulkan.call(serial_, global_tid_, record);
  }
  void operator()(const wire::VulkanLabelRecord& record) {
    to_.vulkan.label(serial_, global_tid_, record);
  }
  void operator()(const wire::VulkanPipelineRecord& record) { to_.vulkan.pipeline(record); }
  void operator()(const wire::VulkanMemoryRecord& record) { to_.vulkan.memory(serial_, record); }
  void operator()(const wire::VulkanWorkloadRecord& record) {
    to_.vulkan.workload(serial_, record);
  }

  void operator()(const wire::NvtxPushRecord& record) { to_.nvtx.push(record); }
  void operator()(const wire::NvtxPopRecord& record) { to_.nvtx.pop(record); }
  void operator()(const wire::NvtxPopPayloadRecord& record) { to_.nvtx.pop(record); }
  void operator()(const wire::NvtxEndPayloadRecord& record) { to_.nvtx.end(record); }
  void operator()(const wire::NvtxPayloadRecord& record, std::span<const std::byte> bytes) {
    to_.nvtx.payload(record, bytes);
  }
  void operator()(const wire::NvtxSampleRecord& record) {
    const bool has_payload =
        record.header.flags == static_cast<std::uint8_t>(wire::NvtxSample::kPayload);
    to_.nvtx_counters.sample(record,
                             has_payload ? to_.nvtx.take_payloads(record.value) : PayloadBlocks());
  }
  void operator()(const wire::NvtxSampleBatchRecord& record) {
    to_.nvtx_counters.batch(record, to_.nvtx.take_payloads(record.token));
  }
  void operator()(const wire::NvtxSyncRecord& record) {
    if (auto event = to_.sync_objects.add(serial_, tid_, record))
      to_.nvtx.deferred(*std::move(event), record.header.aux);
  }
  void operator()(const wire::NvtxMemoryRecord& record) {
    to_.memory_regions.add(serial_, global_tid_, record);
  }
  void operator()(const wire::NvtxGraphRangeRecord& record) {
    to_.graph_ranges.add(global_tid_, record);
  }
  void operator()(const wire::NvtxDeferredRecord& record) {
    const PayloadBlocks blocks = to_.nvtx.take_payloads(record.token);
    for (DeferredEvent& event : to_.deferred_events.events(serial_, tid_, record, blocks))
      to_.nvtx.deferred(std::move(event), record.header.aux);
  }
  void operator()(const wire::NvtxEventRecord& record) { to_.nvtx.event(record); }
  void operator()(const wire::NvtxEndRecord& record) { to_.nvtx.end(record); }
  void operator()(const wire::NvtxDomainRecord& record) { to_.nvtx.domain(record); }
  void operator()(const wire::NvtxDomainEndRecord& record) { to_.nvtx.domain_end(record); }
  void operator()(const wire::NvtxCategoryRecord& record) { to_.nvtx.category(record); }

  void operator()(const wire::CudaCallRecord& record) {
    const std::int64_t chain = to_.chains.cuda_chain(record.start);
    to_.cuda.call(record, to_.functions.id_of(record.function), chain);
  }
  void operator()(const wire::CudaRecordedCallRecord& record) {
    if ((record.header.flags & wire::kCudaCallWithoutRow) == 0)
      to_.cuda.call(record, to_.functions.id_of(record.function));
  }
  void operator()(const wire::CudaKernelRecord& record) { to_.cuda.kernel(record); }
  void operator()(const wire::KernelProfileRecord& record) {
    to_.kernel_profiles.profile(serial_, record);
  }
  void operator()(const wire::KernelMetricRecord& record) { to_.kernel_profiles.metric(record); }
  void operator()(const wire::KernelInstructionRecord& record, std::span<const std::byte> counts) {
    to_.kernel_profiles.instruction(record, counts);
  }
  void operator()(const wire::CudaMemcpyRecord& record) { to_.cuda.memcpy(record); }
  void operator()(const wire::CudaMemsetRecord& record) { to_.cuda.memset(record); }
  void operator()(const wire::CudaSyncRecord& record) { to_.cuda.sync(record); }
  void operator()(const wire::CudaEventRecord& record) { to_.cuda.event(record); }
  void operator()(const wire::CudaGraphLaunchRecord& record) { to_.cuda.graph_launch(record); }
  void operator()(const wire::CudaHostFunctionRecord& record) { to_.cuda.host_function(record); }
  void operator()(const wire::CudaContextSwitchRecord& record) { to_.cuda.context_switch(record); }
  void operator()(const wire::CudaPcSampleRecord& record, std::span<const std::byte> stalls) {
    to_.pc_samples.sample(record, stalls);
  }
  void operator()(const wire::CudaPcSliceRecord& record) { to_.pc_samples.slice(record); }
  void operator()(const wire::CudaCubinRecord& record, std::span<const std::byte> bytes) {
    to_.cubins.add(record, bytes);
  }
  void operator()(const wire::CudaMemoryRecord& record) { to_.cuda.memory(record); }
  void operator()(const wire::CudaPoolRecord& record) { to_.cuda.pool(record); }
  void operator()(const wire::CudaStreamRecord& record) { to_.cuda.stream(record); }
  void operator()(const wire::CudaDeviceRecord& record) { to_.cuda.device(record); }
  void operator()(const wire::CudaGraphEventRecord& record) {
    to_.cuda.graph_event(record, to_.chains.cuda_chain(record.time));
  }
  void operator()(const wire::CudaOverheadRecord& record) { to_.cuda.overhead(record); }
  void operator()(const wire::CudaUnifiedMemoryRecord& record) { to_.cuda.unified_memory(record); }
  void operator()(const wire::CudaNameRecord& record) { to_.cuda.name(record); }
  void operator()(const wire::CudaExternalIdRecord& record) { to_.cuda.external_id(record); }

 private:
  RowBuilders& to_;
  const std::uint32_t serial_;
  const std::uint32_t tid_;
  const std::int64_t global_tid_;
};

ThreadKey thread_of(const spool::Piece* piece) { return {piece->header.serial, piece->header.tid}; }

// Returns the pieces by thread; the pieces of a thread are in the order in which it wrote them.
// They may have been drained in another order.
std::pmr::vector<const spool::Piece*> sorted_pieces(const spool::Spool& spool) {
  std::pmr::vector<const spool::Piece*> pieces(spool.pieces.size(), spool.pieces.get_allocator());
  std::ranges::transform(spool.pieces, pieces.begin(), [](const auto& piece) { return &piece; });
  std::ranges::sort(pieces, {}, [](const spool::Piece* piece) {
    return std::tuple(thread_of(piece), piece->header.claimed, piece->header.offset);
  });
  return pieces;
}

// Removes the pieces of a thread from the front.
Pieces take_thread(Pieces& rest) {
  const auto end = std::ranges::find_if(
      rest, [&](const auto* piece) { return thread_of(piece) != thread_of(rest.front()); });
  const Pieces taken(rest.begin(), end);
  rest = rest.subspan(taken.size());
  return taken;
}

}  // namespace

void collect_definitions(const spool::Spool& spool, RowBuilders& builders,
                         const std::function<void(double)>& progress) {
  std::uint64_t done_bytes = 0;
  for (const spool::Piece& piece : spool.pieces) {
    spool::decode(piece.bytes, DefinitionVisitor{builders, piece.header.serial, piece.header.tid});
    done_bytes += piece.bytes.size();
    if (progress)
      progress(static_cast<double>(done_bytes) / static_cast<double>(spool.record_bytes + 1));
  }
}

std::uint64_t build_rows(const spool::Spool& spool, RowBuilders& builders,
                         const std::function<void(double)>& progress) {
  std::uint64_t corrupt_bytes = 0;
  std::uint64_t done_bytes = 0;
  if (builders.thinning.is_on()) builders.writer.set_weighted();
  const auto sorted = sorted_pieces(spool);
  for (Pieces rest(sorted); !rest.empty();) {
    const Pieces pieces = take_thread(rest);
    const ThreadKey key = thread_of(pieces.front());
    builders.chains.begin_thread();
    builders.thinning.begin_thread(key.first, key.second);
    builders.nvtx.begin_thread(key.first, key.second);
    builders.nvtx_counters.begin_thread(key.first, key.second);
    builders.sync_objects.begin_thread();
    builders.cuda.begin_thread(key.first, key.second);
    builders.pc_samples.begin_thread(key.first);
    builders.openmp.begin_thread(key.first,
                                 builders.processes.global_tid_of(key.first, key.second));
    for (const spool::Piece* piece : pieces) {
      corrupt_bytes += spool::decode(piece->bytes, RowVisitor(builders, key)).corrupt_bytes;
      done_bytes += piece->bytes.size();
      if (progress)
        progress(static_cast<double>(done_bytes) / static_cast<double>(spool.record_bytes + 1));
    }
    builders.nvtx.end_thread();
    builders.openmp.end_thread();
  }
  return corrupt_bytes;
}

}  // namespace prof::ingest
