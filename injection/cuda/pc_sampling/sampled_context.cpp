// Samples of a context: sets CUPTI's sampler up, reads its data, and ends it. The caller holds the
// lock of contexts.cpp.
#include <algorithm>
#include <cstring>

#include "injection/core/clock.hpp"
#include "injection/core/mapped.hpp"
#include "injection/core/record/diagnostics.hpp"
#include "injection/core/record/strings.hpp"
#include "injection/cuda/pc_sampling/pc_sampling.hpp"

namespace prof::cuda::pc {

// A buffer of samples, followed by its instructions and their stall reasons. It is a part of one
// mapping, which is never unmapped: CUPTI may write to it as long as the process lives.
struct Buffer {
  CUpti_PCSamplingData data;
};

// Stall reasons by CUPTI's index.
struct Reasons {
  static constexpr std::size_t kMost = 128;
  struct Reason {
    std::uint64_t name;  // string hash; 0: not known
    bool not_issued;
  };
  std::size_t count;
  Reason by_index[kMost];
  char texts[kMost][CUPTI_STALL_REASON_STRING_SIZE];
  std::uint32_t indexes[kMost];
  char* pointers[kMost];
};

namespace {

constexpr std::size_t kInstructions = 4096;  // in a buffer
constexpr int kMostRounds = 1000;            // of reading a context until it is empty
constexpr std::uint32_t kLongestPeriod = 31;

// The GPU's buffer holds 4.5 million samples. Once it was full, only disabling and enabling helps.
// While the program launches kernels this may hang, so the period is chosen so that the buffer does
// not get full within the 0.2 s that a read may be late.
constexpr std::uint64_t kMostSamples = 20'000'000;  // a second

// CUPTI allocates 512 MB of the GPU's memory for each context. Read every 100 ms, a buffer of this
// size holds what the GPU makes with short periods, too.
constexpr std::size_t kHardwareBuffer = 64 << 20;
// On these GPUs CUPTI returns no data once the size was set (seen on sm_120 by others).
constexpr int kFirstWithoutSize = 12;  // major compute capability

// PCData grew by the correlation id. CUPTI indexes arrays by the size that it knows.
constexpr std::uint32_t kCorrelationIds = 22;  // version: CUDA 12.4
constexpr std::size_t kOldInstructionBytes = offsetof(CUpti_PCSamplingPCData, correlationId);

std::size_t instruction_bytes() {
  return g_cupti.version < kCorrelationIds ? kOldInstructionBytes : sizeof(CUpti_PCSamplingPCData);
}

constexpr std::size_t kFirstInstruction = 256;  // offset in the mapping
static_assert(sizeof(Buffer) <= kFirstInstruction);

std::byte* instruction_at(Buffer& buffer, std::size_t i) {
  return reinterpret_cast<std::byte*>(&buffer) + kFirstInstruction + i * instruction_bytes();
}

// Both buffers have room for all reasons of each instruction.
void empty(Buffer& buffer, std::size_t reasons) {
  std::byte* stalls = instruction_at(buffer, kInstructions);
  for (std::size_t i = 0; i < kInstructions; ++i) {
    CUpti_PCSamplingPCData instruction{};
    instruction.size = instruction_bytes();
    instruction.stallReasonCount = reasons;
    instruction.stallReason = reinterpret_cast<CUpti_PCSamplingStallReason*>(stalls) + i * reasons;
    std::memcpy(instruction_at(buffer, i), &instruction, instruction_bytes());
  }
  buffer.data = {};
  buffer.data.size = sizeof buffer.data;
  buffer.data.collectNumPcs = kInstructions;
  buffer.data.pPcData = reinterpret_cast<CUpti_PCSamplingPCData*>(instruction_at(buffer, 0));
}

void* map(std::size_t bytes) {
  void* memory = core::sys::mmap(bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
  return core::sys::failed(memory) ? nullptr : memory;
}

Buffer* make_buffer(std::size_t reasons) {
  return static_cast<Buffer*>(
      map(kFirstInstruction + kInstructions * (sizeof(CUpti_PCSamplingPCData) +
                                               reasons * sizeof(CUpti_PCSamplingStallReason))));
}

bool fail(CuptiFunction function, CUptiResult result) {
  core::report(wire::DiagnosticCode::kPcSamplingFailed,
               (static_cast<std::uint64_t>(function) << 32) | static_cast<std::uint32_t>(result));
  return false;
}

// All structs of parameters begin with their size and have the context.
template <class Parameters>
Parameters parameters_of(const SampledContext& context, std::size_t size) {
  Parameters parameters{};
  parameters.size = size;
  parameters.ctx = context.handle;
  return parameters;
}

// Returns the number that the driver has for a device; `otherwise` if it has none.
int ask_driver(std::uint32_t device, CUdevice_attribute attribute, int otherwise) {
  const auto get = PROF_DRIVER_FUNCTION(cuDeviceGet);
  const auto ask = PROF_DRIVER_FUNCTION(cuDeviceGetAttribute);
  CUdevice handle = 0;
  int value = 0;
  const bool is_known = get != nullptr && ask != nullptr &&
                        get(&handle, static_cast<int>(device)) == CUDA_SUCCESS &&
                        ask(&value, attribute, handle) == CUDA_SUCCESS;
  return is_known ? value : otherwise;
}

int major_capability(std::uint32_t device) {
  return ask_driver(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, kFirstWithoutSize);
}

// The period, or a longer one if there would be too many samples.
std::uint32_t readable_period(const SampledContext& context) {
  const auto ask = [&](CUdevice_attribute attribute) {
    return static_cast<std::uint64_t>(ask_driver(context.device, attribute, 0));
  };
  const std::uint64_t cycles = ask(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT) *
                               ask(CU_DEVICE_ATTRIBUTE_CLOCK_RATE) * 1000;  // a second
  std::uint32_t period = context.period;
  while (period < kLongestPeriod && cycles >> period > kMostSamples) ++period;
  if (period != context.period)
    core::report_each(
        wire::DiagnosticCode::kRemark,
        core::intern(
            "The period of PC samples is longer than --pc-sampling asks for: the GPU would "
            "take more samples than CUPTI can hand over. PROF_PC_LOSSES has the period."));
  return period;
}

// Takes the part of a stall reason's name that is not common to all.
Reasons::Reason named(const char* text) {
  constexpr char kBegin[] = "smsp__pcsamp_warps_issue_stalled_";
  constexpr char kEnd[] = "_not_issued";
  constexpr std::size_t kEndLength = sizeof kEnd - 1;
  if (std::strncmp(text, kBegin, sizeof kBegin - 1) != 0) return {};  // counts samples
  text += sizeof kBegin - 1;
  std::size_t length = std::strlen(text);
  const bool not_issued = length > kEndLength && std::strcmp(text + length - kEndLength, kEnd) == 0;
  if (not_issued) length -= kEndLength;
  return {core::intern(text, length), not_issued};
}

CUptiResult ask_for_reasons(const SampledContext& context, Reasons& reasons,
                            CuptiFunction& function) {
  function = CuptiFunction::k_cuptiPCSamplingGetNumStallReasons;
  auto number = parameters_of<CUpti_PCSamplingGetNumStallReasonsParams>(
      context, CUpti_PCSamplingGetNumStallReasonsParamsSize);
  number.numStallReasons = &reasons.count;
  CUptiResult result = g_cupti.cuptiPCSamplingGetNumStallReasons(&number);
  if (result != CUPTI_SUCCESS) return result;
  function = CuptiFunction::k_cuptiPCSamplingGetStallReasons;
  if (reasons.count > Reasons::kMost) return CUPTI_ERROR_PARAMETER_SIZE_NOT_SUFFICIENT;
  for (std::size_t i = 0; i < reasons.count; ++i) reasons.pointers[i] = reasons.texts[i];
  auto names = parameters_of<CUpti_PCSamplingGetStallReasonsParams>(
      context, CUpti_PCSamplingGetStallReasonsParamsSize);
  names.numStallReasons = reasons.count;
  names.stallReasonIndex = reasons.indexes;
  names.stallReasons = reasons.pointers;
  result = g_cupti.cuptiPCSamplingGetStallReasons(&names);
  for (std::size_t i = 0; result == CUPTI_SUCCESS && i < reasons.count; ++i)
    if (reasons.indexes[i] < Reasons::kMost)
      reasons.by_index[reasons.indexes[i]] = named(reasons.texts[i]);
  return result;
}

CUptiResult configure(const SampledContext& context) {
  CUpti_PCSamplingConfigurationInfo attributes[4]{};
  std::size_t used = 0;
  const auto add = [&](CUpti_PCSamplingConfigurationAttributeType type) -> auto& {
    attributes[used].attributeType = type;
    return attributes[used++].attributeData;
  };
  add(CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_COLLECTION_MODE).collectionModeData.collectionMode =
      CUPTI_PC_SAMPLING_COLLECTION_MODE_CONTINUOUS;
  add(CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_PERIOD).samplingPeriodData.samplingPeriod =
      context.period;
  add(CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_DATA_BUFFER)
      .samplingDataBufferData.samplingDataBuffer = &context.configured->data;
  if (context.has_own_size)
    add(CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_HARDWARE_BUFFER_SIZE)
        .hardwareBufferSizeData.hardwareBufferSize = kHardwareBuffer;
  auto parameters = parameters_of<CUpti_PCSamplingConfigurationInfoParams>(
      context, CUpti_PCSamplingConfigurationInfoParamsSize);
  parameters.numAttributes = used;
  parameters.pPCSamplingConfigurationInfo = attributes;
  return g_cupti.cuptiPCSamplingSetConfigurationAttribute(&parameters);
}

CUptiResult call_disable(const SampledContext& context) {
  auto parameters =
      parameters_of<CUpti_PCSamplingDisableParams>(context, CUpti_PCSamplingDisableParamsSize);
  return g_cupti.cuptiPCSamplingDisable(&parameters);
}

bool make_buffers(SampledContext& context) {
  if (context.configured != nullptr) return true;
  context.configured = make_buffer(context.reasons->count);
  context.read = make_buffer(context.reasons->count);
  return context.configured != nullptr && context.read != nullptr;
}

// Sets up a sampler that is enabled. Without the size of the GPU's buffer if CUPTI refuses that.
CUptiResult set_up(SampledContext& context, CuptiFunction& function) {
  const CUptiResult result = ask_for_reasons(context, *context.reasons, function);
  if (result != CUPTI_SUCCESS) return result;
  function = CuptiFunction::k_cuptiPCSamplingSetConfigurationAttribute;
  if (!make_buffers(context)) return CUPTI_ERROR_OUT_OF_MEMORY;
  empty(*context.configured, context.reasons->count);
  const CUptiResult configured = configure(context);
  if (configured == CUPTI_SUCCESS || !context.has_own_size) return configured;
  context.has_own_size = false;
  return configure(context);
}

void write_instruction(const SampledContext& context, const CUpti_PCSamplingPCData& instruction) {
  wire::CudaPcStall stalls[Reasons::kMost];
  std::uint32_t used = 0;
  const std::size_t given = std::min(instruction.stallReasonCount, context.reasons->count);
  for (std::size_t i = 0; i < given; ++i) {
    const CUpti_PCSamplingStallReason stall = instruction.stallReason[i];
    if (stall.samples == 0 || stall.pcSamplingStallReasonIndex >= Reasons::kMost) continue;
    const Reasons::Reason& reason = context.reasons->by_index[stall.pcSamplingStallReasonIndex];
    if (reason.name == 0) continue;
    std::uint32_t at = 0;
    while (at < used && stalls[at].reason != reason.name) ++at;
    if (at == used) stalls[used++] = {reason.name, 0, 0};
    (reason.not_issued ? stalls[at].not_issued : stalls[at].samples) += stall.samples;
  }
  if (used == 0) return;
  append_instruction<wire::CudaPcSampleRecord>(wire::RecordType::kCudaPcSample, instruction, stalls,
                                               used);
}

void add_counts(SampledContext& context, const Buffer& buffer) {
  context.total += buffer.data.totalSamples;
  context.dropped += buffer.data.droppedSamples;
  context.non_user += buffer.data.nonUsrKernelsTotalSamples;
}

// Writes what CUPTI has put into a buffer. Not for a buffer of a call that failed: its instructions
// may be half written.
void write_samples(SampledContext& context, Buffer& buffer) {
  add_counts(context, buffer);
  const std::size_t instructions = std::min(buffer.data.totalNumPcs, kInstructions);
  for (std::size_t i = 0; i < instructions; ++i) {
    CUpti_PCSamplingPCData instruction{};
    std::memcpy(&instruction, instruction_at(buffer, i), instruction_bytes());
    write_instruction(context, instruction);
  }
}

// If the record is dropped, its numbers become a part of the next slice.
void write_slice(SampledContext& context) {
  const std::uint64_t end = core::now();
  if (context.total == 0 && context.times_full == 0) {
    context.since = end;
    return;
  }
  const wire::CudaPcSliceRecord record{
      core::header_of<wire::CudaPcSliceRecord>(wire::RecordType::kCudaPcSlice, context.id),
      context.since,
      end,
      context.total,
      context.dropped,
      context.non_user,
      context.device,
      context.period,
      context.times_full,
      0};
  wait_for_room(sizeof record);
  if (!core::append(record)) return;
  context.since = end;
  context.total = context.dropped = context.non_user = 0;
  context.times_full = 0;
}

// Ends sampling. CUPTI puts the last samples into its own buffer.
CUptiResult end_sampling(SampledContext& context) {
  const CUptiResult result = call_disable(context);
  if (result == CUPTI_SUCCESS) write_samples(context, *context.configured);
  write_slice(context);
  return result;
}

// For GPUs on which reads fail because the size of their buffer was set.
bool restart(SampledContext& context) {
  end_sampling(context);
  return enable(context);
}

CUptiResult get_data(SampledContext& context) {
  auto parameters =
      parameters_of<CUpti_PCSamplingGetDataParams>(context, CUpti_PCSamplingGetDataParamsSize);
  parameters.pcSamplingData = &context.read->data;
  empty(*context.read, context.reasons->count);
  return g_cupti.cuptiPCSamplingGetData(&parameters);
}

bool on_failed_read(SampledContext& context, CUptiResult result, Ends ends) {
  const bool is_full = result == CUPTI_ERROR_OUT_OF_MEMORY;
  if (is_full) {
    add_counts(context, *context.read);
    ++context.times_full;
    context.is_full = true;
  }
  if (ends == Ends::kRecording && !is_full) fail(CuptiFunction::k_cuptiPCSamplingGetData, result);
  if (is_full || ends != Ends::kNothing) return true;
  if (context.has_own_size && !context.was_read) {
    context.has_own_size = false;
    return restart(context);
  }
  call_disable(context);
  write_slice(context);
  return fail(CuptiFunction::k_cuptiPCSamplingGetData, result);
}

}  // namespace

bool enable(SampledContext& context) {
  if (context.reasons == nullptr) {
    context.reasons = static_cast<Reasons*>(map(sizeof(Reasons)));
    context.has_own_size = major_capability(context.device) < kFirstWithoutSize;
    if (context.reasons == nullptr)
      return fail(CuptiFunction::k_cuptiPCSamplingEnable, CUPTI_ERROR_OUT_OF_MEMORY);
  }
  if (!context.is_chosen) context.period = readable_period(context);
  context.is_chosen = true;
  auto parameters =
      parameters_of<CUpti_PCSamplingEnableParams>(context, CUpti_PCSamplingEnableParamsSize);
  if (const CUptiResult result = g_cupti.cuptiPCSamplingEnable(&parameters);
      result != CUPTI_SUCCESS)
    return fail(CuptiFunction::k_cuptiPCSamplingEnable, result);
  CuptiFunction function{};
  if (const CUptiResult result = set_up(context, function); result != CUPTI_SUCCESS) {
    call_disable(context);
    return fail(function, result);
  }
  context.since = core::now();
  return true;
}

bool read(SampledContext& context, Ends ends) {
  for (int round = 0; round < kMostRounds && !context.is_full; ++round) {
    const CUptiResult result = get_data(context);
    const std::size_t remaining = context.read->data.remainingNumPcs;
    if (result == CUPTI_SUCCESS) {
      context.was_read = true;
      write_samples(context, *context.read);
    }
    if (result != CUPTI_SUCCESS && !on_failed_read(context, result, ends)) return false;
    if (result != CUPTI_SUCCESS || remaining == 0) break;
  }
  write_slice(context);
  return true;
}

void discard(SampledContext& context) {
  std::size_t remaining = 1;
  for (int round = 0; round < kMostRounds && !context.is_full && remaining > 0; ++round) {
    if (get_data(context) != CUPTI_SUCCESS) break;
    remaining = context.read->data.remainingNumPcs;
  }
  context.total = context.dropped = context.non_user = 0;
  context.since = core::now();
}

void disable(SampledContext& context, Ends ends) {
  read(context, ends);
  const CUptiResult result = end_sampling(context);
  if (result != CUPTI_SUCCESS && ends == Ends::kRecording)
    fail(CuptiFunction::k_cuptiPCSamplingDisable, result);
}

}  // namespace prof::cuda::pc
