#include "injection/cuda/kernels/launch_facts.hpp"

#include <cstring>

#include "injection/core/layout.hpp"
#include "injection/core/record/record_writer.hpp"
#include "injection/core/record/strings.hpp"
#include "injection/cuda/state.hpp"

namespace prof::cuda::kernels {

namespace {

// The parameters of cuLaunchKernel and cuLaunchCooperativeKernel, in their order.
struct LaunchParameters {
  CUfunction function;
  unsigned int grid[3];
  unsigned int block[3];
  unsigned int shared;
  CUstream stream;
  void** parameters;
  void** extra;  // not of cuLaunchCooperativeKernel
};

// Those of cuLaunchKernelEx.
struct ExtendedParameters {
  const CUlaunchConfig* config;
  CUfunction function;
  void** parameters;
  void** extra;
};

enum class Kind : std::uint8_t { kNone, kKernel, kExtended };

Kind kind_of(CUpti_CallbackId id) {
  switch (id) {
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz:
      return Kind::kKernel;
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz:
      return Kind::kExtended;
    default:
      return Kind::kNone;
  }
}

bool is_per_thread(CUpti_CallbackId id) {
  return id == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz ||
         id == CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz ||
         id == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz;
}

bool is_cooperative(CUpti_CallbackId id) {
  return id == CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel ||
         id == CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz;
}

// Returns the name of a function that launches kernels.
const char* launch_name(CUpti_CallbackId id) {
  if (kind_of(id) == Kind::kExtended)
    return is_per_thread(id) ? "cuLaunchKernelEx_ptsz" : "cuLaunchKernelEx";
  if (is_cooperative(id))
    return is_per_thread(id) ? "cuLaunchCooperativeKernel_ptsz" : "cuLaunchCooperativeKernel";
  return is_per_thread(id) ? "cuLaunchKernel_ptsz" : "cuLaunchKernel";
}

void take(const LaunchParameters& given, Launch& launch) {
  launch.function = given.function;
  launch.stream_handle = given.stream;
  launch.shared = given.shared;
  for (int i = 0; i < 3; ++i) {
    launch.grid[i] = static_cast<std::int32_t>(given.grid[i]);
    launch.block[i] = static_cast<std::int32_t>(given.block[i]);
  }
}

// What a function of the driver is for prof kernel, by a part of its name.
struct Word {
  const char* text;
  std::uint8_t effects;
};
enum : std::uint8_t { kWorks = 1, kNeedsCountersOff = 2, kNeedsNoBatch = 4 };
constexpr Word kWords[] = {
    {"Launch", kWorks},
    {"Memcpy", kWorks},
    {"Memset", kWorks},
    {"MemAlloc", kWorks},
    {"MemFree", kWorks},
    {"MemMap", kWorks},
    {"MemUnmap", kWorks},
    {"CtxDestroy", kWorks | kNeedsCountersOff},
    {"PrimaryCtxRe", kWorks | kNeedsCountersOff},
    {"GraphLaunch", kWorks | kNeedsCountersOff},
    {"MultiDevice", kNeedsCountersOff},
    {"BeginCapture", kWorks | kNeedsNoBatch},
};
constexpr CUpti_CallbackId kMaxIds = 2048;
PROF_SELDOM std::uint8_t g_effects[kMaxIds];

bool has_effect(CUpti_CallbackId id, std::uint8_t effect) {
  return id < kMaxIds && (g_effects[id] & effect) != 0;
}

std::int32_t attribute(CUfunction function, CUfunction_attribute which) {
  static const auto get = PROF_DRIVER_FUNCTION(cuFuncGetAttribute);
  int value = 0;
  if (get == nullptr || get(&value, which, function) != CUDA_SUCCESS) return 0;
  return value;
}

}  // namespace

void find_work() {
  for (CUpti_CallbackId id = 1; id < kMaxIds; ++id) {
    const char* name = nullptr;
    if (g_cupti.cuptiGetCallbackName(CUPTI_CB_DOMAIN_DRIVER_API, id, &name) != CUPTI_SUCCESS ||
        name == nullptr)
      return;
    for (const Word& word : kWords)
      if (std::strstr(name, word.text) != nullptr) g_effects[id] |= word.effects;
  }
}

bool is_work(CUpti_CallbackId id) { return has_effect(id, kWorks); }

bool needs_counters_off(CUpti_CallbackId id) { return has_effect(id, kNeedsCountersOff); }

bool needs_no_batch(CUpti_CallbackId id) { return has_effect(id, kNeedsNoBatch); }

bool read_launch(CUpti_CallbackId id, const CUpti_CallbackData& data, Launch& launch) {
  const Kind kind = kind_of(id);
  if (kind == Kind::kNone || data.functionParams == nullptr || data.symbolName == nullptr)
    return false;
  if (kind == Kind::kExtended) {
    const auto& given = *static_cast<const ExtendedParameters*>(data.functionParams);
    if (given.config == nullptr) return false;
    const CUlaunchConfig& config = *given.config;
    take({given.function,
          {config.gridDimX, config.gridDimY, config.gridDimZ},
          {config.blockDimX, config.blockDimY, config.blockDimZ},
          config.sharedMemBytes,
          config.hStream,
          nullptr,
          nullptr},
         launch);
  } else {
    take(*static_cast<const LaunchParameters*>(data.functionParams), launch);
  }
  launch.name = data.symbolName;
  launch.context = data.contextUid;
  launch.stream = stream_id(data.context, launch.stream_handle, is_per_thread(id));
  // Functions that are not compiled for it would take null for another stream.
  if (launch.stream_handle == nullptr && is_per_thread(id))
    launch.stream_handle = CU_STREAM_PER_THREAD;
  if (g_cupti.cuptiGetDeviceId != nullptr) g_cupti.cuptiGetDeviceId(data.context, &launch.device);
  return true;
}

bool launch_again(CUpti_CallbackId id, const CUpti_CallbackData& data) {
  static const auto wait = PROF_DRIVER_FUNCTION(cuCtxSynchronize);
  void* const function = driver_symbol(launch_name(id));
  if (function == nullptr || wait == nullptr) return false;
  CUresult result = CUDA_ERROR_UNKNOWN;
  if (kind_of(id) == Kind::kExtended) {
    const auto& given = *static_cast<const ExtendedParameters*>(data.functionParams);
    result = reinterpret_cast<decltype(&cuLaunchKernelEx)>(function)(given.config, given.function,
                                                                     given.parameters, given.extra);
  } else {
    const auto& given = *static_cast<const LaunchParameters*>(data.functionParams);
    result = is_cooperative(id)
                 ? reinterpret_cast<decltype(&cuLaunchCooperativeKernel)>(function)(
                       given.function, given.grid[0], given.grid[1], given.grid[2], given.block[0],
                       given.block[1], given.block[2], given.shared, given.stream, given.parameters)
                 : reinterpret_cast<decltype(&cuLaunchKernel)>(function)(
                       given.function, given.grid[0], given.grid[1], given.grid[2], given.block[0],
                       given.block[1], given.block[2], given.shared, given.stream, given.parameters,
                       given.extra);
  }
  return wait() == CUDA_SUCCESS && result == CUDA_SUCCESS;
}

bool waits_for_others(const char* name) {
  for (const char* word : {"nccl", "nvshmem"})
    if (std::strstr(name, word) != nullptr) return true;
  return false;
}

bool is_captured(CUstream stream) {
  static const auto ask = PROF_DRIVER_FUNCTION(cuStreamIsCapturing);
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  // The call fails if another stream's capture forbids it: then this launch is not profiled either.
  return ask != nullptr &&
         (ask(stream, &status) != CUDA_SUCCESS || status != CU_STREAM_CAPTURE_STATUS_NONE);
}

wire::CudaKernelRecord kernel_of(const Launch& launch, std::uint32_t correlation,
                                 std::uint64_t end) {
  wire::CudaKernelRecord record{};
  record.header =
      core::header_of<wire::CudaKernelRecord>(wire::RecordType::kCudaKernel, correlation);
  record.end = end;
  record.name = core::intern(launch.name);
  record.device = launch.device;
  record.context = launch.context;
  record.stream = launch.stream;
  for (int i = 0; i < 3; ++i) {
    record.grid[i] = launch.grid[i];
    record.block[i] = launch.block[i];
  }
  record.dynamic_shared = static_cast<std::int32_t>(launch.shared);
  record.static_shared = attribute(launch.function, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
  record.local_memory_per_thread =
      static_cast<std::uint32_t>(attribute(launch.function, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES));
  record.registers =
      static_cast<std::uint16_t>(attribute(launch.function, CU_FUNC_ATTRIBUTE_NUM_REGS));
  return record;
}

}  // namespace prof::cuda::kernels
