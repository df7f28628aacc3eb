// PC sampling of libcupti.so.13 without a GPU: hands over what the program gave to take_sample(), a
// few instructions at a time. It is as strict as CUPTI about the order of calls.
#include <cupti_pcsampling.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <deque>
#include <iterator>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "fake_state.hpp"
#include "gpu_samples.hpp"

using fake::fails;
using fake::misbehaviour;

#define FAILS_IF_ASKED \
  if (fails(__func__)) return misbehaviour().result

namespace {

constexpr std::size_t kReasons = std::size(fake::kStallReasons);
constexpr std::uint32_t kFirstIndex = 10;  // of a reason
constexpr std::uint32_t kFirstNotIssued = 50;
constexpr std::size_t kInstructionsOfCall = 3;
constexpr std::uint32_t kCorrelationIds = 22;  // the version that has them

struct Instruction {
  std::uint64_t cubin;
  std::uint64_t offset;
  std::string function;
  std::uint32_t samples[kReasons];
  std::uint32_t not_issued[kReasons];
};

struct Sampler {
  CUpti_PCSamplingData* configured = nullptr;  // belongs to the fake until Disable
  std::deque<Instruction> waiting;
  std::uint64_t dropped = 0;
  std::uint64_t others = 0;
  bool is_full = false;  // returns nothing until Disable
  bool has_size = false;
};

std::mutex g_lock;
std::map<CUcontext, Sampler> g_samplers;  // of contexts in which sampling is enabled
int g_reads = 0;
bool g_is_broken = false;  // a second context was enabled: all reads fail, as with CUPTI 13.0

Sampler* find(CUcontext context) {
  const auto found = g_samplers.find(context);
  return found == g_samplers.end() ? nullptr : &found->second;
}

// Instructions of a function share its name, which the client may free at the end.
char* name_of(const std::string& function) {
  static auto& names = *new std::map<std::string, char*>;
  char*& name = names[function];
  if (name == nullptr) name = strdup(function.c_str());
  return name;
}

std::size_t instruction_bytes() {
  return misbehaviour().version < kCorrelationIds ? offsetof(CUpti_PCSamplingPCData, correlationId)
                                                  : sizeof(CUpti_PCSamplingPCData);
}

// Returns false if the client has prepared the instruction for another version.
bool put(CUpti_PCSamplingData& data, std::size_t i, const Instruction& from) {
  std::uint8_t* at = reinterpret_cast<std::uint8_t*>(data.pPcData) + i * instruction_bytes();
  CUpti_PCSamplingPCData to{};
  std::memcpy(&to, at, instruction_bytes());
  if (to.size != instruction_bytes() || to.stallReason == nullptr) return false;
  to.cubinCrc = from.cubin;
  to.pcOffset = from.offset;
  to.functionName = name_of(from.function);
  to.stallReasonCount = 0;
  const auto add = [&](std::uint32_t index, std::uint32_t samples) {
    if (samples != 0) to.stallReason[to.stallReasonCount++] = {index, samples};
  };
  for (std::uint32_t reason = 0; reason < kReasons; ++reason) {
    add(kFirstIndex + reason, from.samples[reason]);
    add(kFirstNotIssued + reason, from.not_issued[reason]);
  }
  std::memcpy(at, &to, instruction_bytes());
  return true;
}

std::uint64_t samples_of(const Instruction& instruction) {
  std::uint64_t sum = 0;
  for (const std::uint32_t samples : instruction.samples) sum += samples;
  return sum;
}

// Moves up to `most` instructions into the buffer.
CUptiResult hand_over(Sampler& sampler, CUpti_PCSamplingData& data, std::size_t most) {
  data.totalNumPcs = 0;
  data.droppedSamples = std::exchange(sampler.dropped, 0);
  data.nonUsrKernelsTotalSamples = std::exchange(sampler.others, 0);
  data.totalSamples = data.droppedSamples + data.nonUsrKernelsTotalSamples;
  for (; data.totalNumPcs < most && !sampler.waiting.empty(); sampler.waiting.pop_front()) {
    if (!put(data, data.totalNumPcs, sampler.waiting.front())) return CUPTI_ERROR_INVALID_PARAMETER;
    data.totalSamples += samples_of(sampler.waiting.front());
    ++data.totalNumPcs;
  }
  data.remainingNumPcs = sampler.waiting.size();
  data.hardwareBufferFull = 0;
  return CUPTI_SUCCESS;
}

// The samples are lost, and there are no more until sampling is enabled again.
CUptiResult fill(Sampler& sampler, CUpti_PCSamplingData& data) {
  for (const Instruction& instruction : sampler.waiting) sampler.dropped += samples_of(instruction);
  sampler.waiting.clear();
  hand_over(sampler, data, 0);
  data.hardwareBufferFull = 1;
  sampler.is_full = true;
  return CUPTI_ERROR_OUT_OF_MEMORY;
}

// A read that fails in the middle: what the instructions point to is not there.
CUptiResult half_write(CUpti_PCSamplingData& data) {
  data.totalNumPcs = kInstructionsOfCall;
  for (std::size_t i = 0; i < kInstructionsOfCall; ++i) {
    CUpti_PCSamplingPCData& instruction = data.pPcData[i];
    instruction.functionName = reinterpret_cast<char*>(1);
    instruction.stallReason = nullptr;
    instruction.stallReasonCount = kReasons;
  }
  return misbehaviour().result;
}

std::string name_of_reason(std::size_t i) {
  return std::string("smsp__pcsamp_warps_issue_stalled_") + fake::kStallReasons[i % kReasons] +
         (i < kReasons ? "" : "_not_issued");
}

}  // namespace

namespace fake {

bool is_any_sampled() {
  const std::lock_guard lock(g_lock);
  return !g_samplers.empty();
}

bool take_sample(CUcontext context, const GpuSample& sample) {
  const std::lock_guard lock(g_lock);
  Sampler* sampler = find(context);
  if (sampler == nullptr) return false;
  if (sampler->is_full) {
    sampler->dropped += sample.samples;
    return true;
  }
  Instruction instruction{sample.cubin, sample.offset, sample.function, {}, {}};
  instruction.samples[sample.reason] = sample.samples;
  instruction.not_issued[sample.reason] = sample.not_issued;
  sampler->waiting.push_back(instruction);
  return true;
}

bool drop_samples(CUcontext context, std::uint64_t samples) {
  const std::lock_guard lock(g_lock);
  Sampler* sampler = find(context);
  if (sampler != nullptr) sampler->dropped += samples;
  return sampler != nullptr;
}

bool take_others(CUcontext context, std::uint64_t samples) {
  const std::lock_guard lock(g_lock);
  Sampler* sampler = find(context);
  if (sampler != nullptr) sampler->others += samples;
  return sampler != nullptr;
}

CUcontext context_of_calls() { return reinterpret_cast<CUcontext>(&state()); }

std::uint64_t crc_of(const void* cubin, std::size_t size) {
  std::uint64_t crc = 0xcbf29ce484222325;
  for (std::size_t i = 0; i < size; ++i)
    crc = (crc ^ static_cast<const std::uint8_t*>(cubin)[i]) * 0x100000001b3;
  return (crc ^ crc >> 32) & 0xffffffff;  // CUPTI's has 32 bits
}

}  // namespace fake

extern "C" {

CUptiResult cuptiGetDeviceId(CUcontext context, std::uint32_t* device) {
  FAILS_IF_ASKED;
  *device = reinterpret_cast<fake::Context*>(context)->device;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiPCSamplingEnable(CUpti_PCSamplingEnableParams* parameters) {
  FAILS_IF_ASKED;
  const std::lock_guard lock(g_lock);
  if (getpid() != fake::state().pid) std::fputs("fake CUPTI: sampling in a fork child\n", stderr);
  if (find(parameters->ctx) != nullptr) return CUPTI_ERROR_INVALID_OPERATION;
  if (!g_samplers.empty()) g_is_broken = true;
  g_samplers.try_emplace(parameters->ctx);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiPCSamplingDisable(CUpti_PCSamplingDisableParams* parameters) {
  FAILS_IF_ASKED;
  const std::lock_guard lock(g_lock);
  Sampler* sampler = find(parameters->ctx);
  if (sampler == nullptr) return CUPTI_ERROR_INVALID_OPERATION;
  if (sampler->configured != nullptr)
    hand_over(*sampler, *sampler->configured, sampler->configured->collectNumPcs);
  g_samplers.erase(parameters->ctx);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiPCSamplingGetNumStallReasons(
    CUpti_PCSamplingGetNumStallReasonsParams* parameters) {
  FAILS_IF_ASKED;
  const std::lock_guard lock(g_lock);
  if (find(parameters->ctx) == nullptr) return CUPTI_ERROR_INVALID_OPERATION;
  *parameters->numStallReasons = 2 * kReasons;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiPCSamplingGetStallReasons(CUpti_PCSamplingGetStallReasonsParams* parameters) {
  FAILS_IF_ASKED;
  for (std::size_t i = 0; i < parameters->numStallReasons; ++i) {
    const auto index = static_cast<std::uint32_t>(i % kReasons);
    parameters->stallReasonIndex[i] = index + (i < kReasons ? kFirstIndex : kFirstNotIssued);
    std::snprintf(parameters->stallReasons[i], CUPTI_STALL_REASON_STRING_SIZE, "%s",
                  name_of_reason(i).c_str());
  }
  return CUPTI_SUCCESS;
}

CUptiResult cuptiPCSamplingSetConfigurationAttribute(
    CUpti_PCSamplingConfigurationInfoParams* parameters) {
  FAILS_IF_ASKED;
  const std::lock_guard lock(g_lock);
  Sampler* sampler = find(parameters->ctx);
  if (sampler == nullptr) return CUPTI_ERROR_INVALID_OPERATION;
  for (std::size_t i = 0; i < parameters->numAttributes; ++i) {
    auto& attribute = parameters->pPCSamplingConfigurationInfo[i];
    if (attribute.attributeType == CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_DATA_BUFFER)
      sampler->configured = static_cast<CUpti_PCSamplingData*>(
          attribute.attributeData.samplingDataBufferData.samplingDataBuffer);
    if (attribute.attributeType != CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_HARDWARE_BUFFER_SIZE)
      continue;
    sampler->has_size = true;
    if (misbehaviour().no_buffer_size) return CUPTI_ERROR_INVALID_OPERATION;
  }
  return CUPTI_SUCCESS;
}

CUptiResult cuptiPCSamplingGetData(CUpti_PCSamplingGetDataParams* parameters) {
  FAILS_IF_ASKED;
  const std::lock_guard lock(g_lock);
  Sampler* sampler = find(parameters->ctx);
  auto* data = static_cast<CUpti_PCSamplingData*>(parameters->pcSamplingData);
  if (g_is_broken) return CUPTI_ERROR_UNKNOWN;
  if (fails("a read in the middle")) return half_write(*data);
  if (sampler == nullptr || sampler->configured == nullptr) return CUPTI_ERROR_INVALID_OPERATION;
  if (data == sampler->configured || (sampler->has_size && misbehaviour().broken_buffer_size))
    return CUPTI_ERROR_INVALID_PARAMETER;
  if (++g_reads == misbehaviour().full_at || sampler->is_full) return fill(*sampler, *data);
  return hand_over(*sampler, *data, std::min(data->collectNumPcs, kInstructionsOfCall));
}

CUptiResult cuptiGetCubinCrc(CUpti_GetCubinCrcParams* parameters) {
  FAILS_IF_ASKED;
  parameters->cubinCrc = fake::crc_of(parameters->cubin, parameters->cubinSize);
  return CUPTI_SUCCESS;
}

}  // extern "C"
