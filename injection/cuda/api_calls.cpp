// Calls of the CUDA API, recorded with CUPTI's callbacks and only for functions that do work. A
// PyTorch step makes ten times as many calls that only query something (cudaGetDevice,
// cudaGetLastError), and a record of the RUNTIME activity kind would cost more than such a call.
#include <cstring>

#include "common/wire/stack_records.hpp"
#include "injection/core/clock.hpp"
#include "injection/core/doors.hpp"
#include "injection/core/layout.hpp"
#include "injection/core/record/call.hpp"
#include "injection/core/record/capture.hpp"
#include "injection/core/record/stack_copy.hpp"
#include "injection/cuda/clients/host.hpp"
#include "injection/cuda/state.hpp"

namespace prof::cuda {

namespace {

constexpr std::uint32_t kMaxCallbacks = 2048;  // number of ids in a domain
static_assert(wire::kCudaRuntimeFunctions + kMaxCallbacks <= wire::kCudaDriverFunctions);
static_assert(wire::kCudaDriverFunctions + kMaxCallbacks <= wire::kMaxFunctions);

// Functions whose names begin like this do no work. They are traced only if all functions are
// requested, except those of the second list.
constexpr const char* kQueries[] = {
    "cudaGet",
    "cudaPeekAtLastError",
    "cudaSetDevice",
    "cudaDeviceGet",
    "cudaPointerGet",
    "cudaFuncGetAttributes",
    "cudaOccupancy",
    "cudaStreamGet",
    "cudaDriverGetVersion",
    "cudaRuntimeGetVersion",
    "cudaCreateChannelDesc",
    "cudaKernelGet",
    "cudaLibraryGet",
    "cudaGraphNodeGet",
    "cudaMemPoolGet",
    "cudaIpcGet",
    "cudaDeviceCanAccessPeer",
    "cudaChooseDevice",
    "cudaThreadExchangeStreamCaptureMode",
    "cudaStreamIsCapturing",
    "cudaEventElapsedTime",
    "cudaStreamQuery",
    "cudaFuncSet",
    "cudaDeviceSet",
    "cuGet",
    "cuCtxGet",
    "cuCtxPush",
    "cuCtxPop",
    "cuCtxSet",
    "cuDeviceGet",
    "cuDeviceTotalMem",
    "cuDeviceCan",
    "cuDevicePrimaryCtxGetState",
    "cuDevicePrimaryCtxSetFlags",
    "cuDevicePrimaryCtxRetain",
    "cuDriverGetVersion",
    "cuPointerGet",
    "cuPointerSet",
    "cuFuncGet",
    "cuFuncSet",
    "cuFuncIsLoaded",
    "cuFuncLoad",
    "cuOccupancy",
    "cuStreamGet",
    "cuStreamIsCapturing",
    "cuThreadExchangeStreamCaptureMode",
    "cuKernelGet",
    "cuKernelSet",
    "cuLibraryGet",
    "cuModuleGet",
    "cuGraphGet",
    "cuGraphNodeGet",
    "cuMemGet",
    "cuMemHostGet",
    "cuMemPoolGet",
    "cuIpcGet",
    "cuEventElapsedTime",
    "cuStreamQuery",
    "cuTensorMap",
    "cuCoredump",
    "cuLogs",
    "cuFlushGPU",
};
constexpr const char* kNoQueries[] = {"cudaGetDeviceProperties", "cudaGetDriverEntryPoint",
                                      "cudaGetFuncBySymbol", "cuModuleGetLoadingMode"};

// Queries of the runtime that may load code. Their callbacks are enabled although they have no
// rows, because cuLibraryLoadData and the like have rows only outside of runtime calls.
constexpr const char* kLoading[] = {"cudaFuncGetAttributes", "cudaFuncSet", "cudaOccupancy",
                                    "cudaKernelGet", "cudaLibraryGet"};

template <std::size_t n>
bool begins_with_one_of(const char* name, const char* const (&beginnings)[n]) {
  for (const char* beginning : beginnings)
    if (std::strncmp(name, beginning, std::strlen(beginning)) == 0) return true;
  return false;
}

bool is_traced(const char* name) {
  if ((core::g_process.config.cuda.flags & wire::kCudaAllApis) != 0) return true;
  return !begins_with_one_of(name, kQueries) || begins_with_one_of(name, kNoQueries);
}

std::uint32_t function_id(CUpti_CallbackDomain domain, CUpti_CallbackId id) {
  return (domain == CUPTI_CB_DOMAIN_RUNTIME_API ? wire::kCudaRuntimeFunctions
                                                : wire::kCudaDriverFunctions) +
         id;
}

// After these functions the GPU usually has no work left for the caller.
constexpr const char* kSynchronizing[] = {"cudaDeviceSynchronize", "cudaStreamSynchronize",
                                          "cudaEventSynchronize",  "cuCtxSynchronize",
                                          "cuStreamSynchronize",   "cuEventSynchronize"};

// The tasks of the callbacks of a function.
struct Traits {
  bool traced = false;         // its calls are recorded
  bool synchronizing = false;  // see kSynchronizing
  bool per_thread = false;     // stream 0 is the thread's own
  bool frequent = false;       // see is_frequent()
  wire::CudaCallKind kind{};
  SyncRole role = SyncRole::kNone;
};
// All zeros at first, so that processes without CUDA pay nothing.
PROF_SELDOM Traits g_traits[wire::kMaxFunctions];

// The beginnings of the names, without "cuda" or "cu", of calls of this kind. Other functions are
// of the kind kOther.
constexpr const char* kKernelCalls[] = {"Launch", "GraphLaunch"};
constexpr const char* kMemoryCalls[] = {"Malloc", "Free",           "Memcpy", "Memset",   "Mem",
                                        "Host",   "MipmappedArray", "Array",  "GetSymbol"};

wire::CudaCallKind kind_of(const char* name) {
  const char* verb = name + (std::strncmp(name, "cuda", 4) == 0 ? 4 : 2);
  if (begins_with_one_of(verb, kKernelCalls)) return wire::CudaCallKind::kKernel;
  if (std::strstr(verb, "Synchronize") != nullptr ||
      std::strncmp(verb, "StreamWait", std::strlen("StreamWait")) == 0)
    return wire::CudaCallKind::kSync;
  if (begins_with_one_of(verb, kMemoryCalls)) return wire::CudaCallKind::kMemory;
  return wire::CudaCallKind::kOther;
}

Traits traits_of(const char* name) {
  return {is_traced(name),
          begins_with_one_of(name, kSynchronizing),
          std::strstr(name, "_ptsz") != nullptr,
          false,
          kind_of(name),
          sync_role(name)};
}

// True for the functions that programs call most and that do not wait. Their rows need no data that
// only a callback has.
bool is_frequent(const char* name, const Traits& traits) {
  if (!traits.traced || traits.synchronizing || traits.role != SyncRole::kNone) return false;
  constexpr const char* kLaunches[] = {"LaunchKernel", "LaunchCooperativeKernel", "GraphLaunch"};
  const char* verb = name + (std::strncmp(name, "cuda", 4) == 0 ? 4 : 2);
  return begins_with_one_of(verb, kLaunches) || std::strstr(verb, "Async") != nullptr;
}

// The driver calls that load code and similar ones. A runtime call without a row may contain one of
// them, whose record comes later.
constexpr std::uint32_t kDriverCalls = 4096;
PROF_SELDOM constinit std::atomic<std::uint32_t> g_driver_calls[kDriverCalls]{};

std::atomic<std::uint32_t>& driver_call(std::uint32_t correlation) {
  return g_driver_calls[correlation % kDriverCalls];
}

void enable_domain(CUpti_CallbackDomain domain) {
  CUptiResult refusal = CUPTI_SUCCESS;
  bool is_any_enabled = false;
  for (CUpti_CallbackId id = 1; id < kMaxCallbacks; ++id) {
    const char* name = nullptr;
    const CUptiResult result = g_cupti.cuptiGetCallbackName(domain, id, &name);
    if (id == 1) check(CuptiFunction::k_cuptiGetCallbackName, result);
    // Ids are dense; the first unknown one is the end.
    if (result != CUPTI_SUCCESS || name == nullptr) break;
    Traits traits = traits_of(name);
    traits.frequent = is_frequent(name, traits);
    g_traits[function_id(domain, id)] = traits;
    const bool loads = domain == CUPTI_CB_DOMAIN_RUNTIME_API && begins_with_one_of(name, kLoading);
    if ((loads && !traits.traced && traits.role == SyncRole::kNone) || traits.frequent)
      clients::offer_call_records(domain, id);
    if (!traits.traced && !loads && traits.role == SyncRole::kNone) continue;
    const CUptiResult enabled = g_cupti.cuptiEnableCallback(1, g_state.subscriber, domain, id);
    is_any_enabled = is_any_enabled || enabled == CUPTI_SUCCESS;
    if (enabled != CUPTI_SUCCESS) refusal = enabled;
  }
  // A library that is newer than the driver names functions that the driver lacks, and refuses
  // their ids (seen with CUPTI 13.5 on driver 580).
  if (refusal != CUPTI_ERROR_INVALID_PARAMETER || !is_any_enabled)
    check(CuptiFunction::k_cuptiEnableCallback, refusal);
}

[[gnu::cold, gnu::noinline]] void name(CUpti_CallbackDomain domain, CUpti_CallbackId id) {
  const char* text = nullptr;
  if (g_cupti.cuptiGetCallbackName(domain, id, &text) == CUPTI_SUCCESS && text != nullptr)
    core::send_name({function_id(domain, id), text});
}

bool ends_gpu_state(CUpti_CallbackDomain domain, CUpti_CallbackId id) {
  return domain == CUPTI_CB_DOMAIN_RUNTIME_API
             ? id == CUPTI_RUNTIME_TRACE_CBID_cudaDeviceReset_v3020
             : id == CUPTI_DRIVER_TRACE_CBID_cuDevicePrimaryCtxReset ||
                   id == CUPTI_DRIVER_TRACE_CBID_cuDevicePrimaryCtxReset_v2 ||
                   id == CUPTI_DRIVER_TRACE_CBID_cuCtxDestroy_v2;
}

bool stops_profiler(CUpti_CallbackDomain domain, CUpti_CallbackId id) {
  return domain == CUPTI_CB_DOMAIN_RUNTIME_API
             ? id == CUPTI_RUNTIME_TRACE_CBID_cudaProfilerStop_v4000
             : id == CUPTI_DRIVER_TRACE_CBID_cuProfilerStop;
}

bool starts_profiler(CUpti_CallbackDomain domain, CUpti_CallbackId id) {
  return domain == CUPTI_CB_DOMAIN_RUNTIME_API
             ? id == CUPTI_RUNTIME_TRACE_CBID_cudaProfilerStart_v4000
             : id == CUPTI_DRIVER_TRACE_CBID_cuProfilerStart;
}

// CUPTI's periodic flush skips a buffer while anything in it is unfinished. In a busy program that
// is always the case, except right after a synchronization. The flush at that time limits how much
// a kill -9 can drop.
std::atomic<std::uint64_t> g_flushed;  // time of the last flush

void flush_finished(std::uint64_t now) {
  std::uint64_t last = g_flushed.load(std::memory_order_relaxed);
  const std::uint64_t gap = core::g_process.config.cuda.sync_flush_gap;
  if (gap == 0 || now < last + gap) return;
  if (g_flushed.compare_exchange_strong(last, now, std::memory_order_relaxed))
    flush(Flush::kFinished);
}

// `start`: the call's word.
void on_enter(CUpti_CallbackDomain domain, CUpti_CallbackId id, std::uint64_t& start) {
  if (ends_gpu_state(domain, id)) [[unlikely]]
    flush(Flush::kForced);
  if (core::is_dormant()) {  // the collection ends: the call is not part of it
    start = 0;
    return;
  }
  start = core::now();
}

// Handles cudaProfilerStart and cudaProfilerStop.
void switch_capture(CUpti_CallbackDomain domain, CUpti_CallbackId id) {
  if (starts_profiler(domain, id)) [[unlikely]] {
    core::begin_capture(wire::kCudaTrigger);
  } else if (stops_profiler(domain, id)) [[unlikely]] {
    if (core::is_armed(wire::kCudaTrigger))
      core::end_capture();
    else if ((core::g_process.config.cuda.flags & wire::kCudaFlushOnProfilerStop) != 0)
      flush(Flush::kForced);
  }
}

// Sends a stack copy. Calls shorter than the threshold, and kinds without call chains, send none.
void send_stack(CUpti_CallbackDomain domain, wire::CudaCallKind kind, std::uint64_t start,
                std::uint64_t end) {
  const wire::CudaConfig& config = core::g_process.config.cuda;
  if (end - start < config.stack_thresholds[static_cast<std::size_t>(kind)]) return;
  const bool runtime = domain == CUPTI_CB_DOMAIN_RUNTIME_API;
  core::send_stack(start, config.stack_bytes,
                   wire::kStackOfCuda | (runtime ? wire::kStackOfCudaRuntime : std::uint8_t{0}));
}

void write_call(CUpti_CallbackDomain domain, CUpti_CallbackId id, const CUpti_CallbackData& data,
                std::uint64_t start, std::uint64_t end) {
  const std::uint32_t function = function_id(domain, id);
  if (!core::is_named(function)) [[unlikely]]
    name(domain, id);
  if (core::has_feature(wire::kFeaturePythonCuda)) core::g_doors.record_python_chain(start);
  if (core::has_feature(wire::kFeatureCudaStacks))
    send_stack(domain, g_traits[function].kind, start, end);
  if (clients::are_present() && domain == CUPTI_CB_DOMAIN_DRIVER_API &&
      !g_traits[function].frequent)
    driver_call(data.correlationId).store(data.correlationId, std::memory_order_relaxed);
  const auto* result = static_cast<const std::int32_t*>(data.functionReturnValue);
  core::append(wire::CudaCallRecord{
      core::header_of<wire::CudaCallRecord>(wire::RecordType::kCudaCall, data.correlationId),
      function, result == nullptr ? 0 : *result, start, end});
}

void on_exit(CUpti_CallbackDomain domain, CUpti_CallbackId id, const CUpti_CallbackData& data,
             std::uint64_t start) {
  const std::uint64_t end = core::now();
  if (start == 0) return;  // the call started before the callbacks were enabled
  if (core::has_feature(wire::kFeatureDormancy)) [[unlikely]]
    describe_context(data);
  const std::uint32_t function = function_id(domain, id);
  const Traits traits = g_traits[function];
  if (traits.role == SyncRole::kGraphUpdate) [[unlikely]]
    on_graph_update(data);
  if (!core::paused()) {
    if (traits.traced) write_call(domain, id, data, start, end);
    if (traits.role != SyncRole::kNone) [[unlikely]]
      on_sync_call(traits.role, traits.per_thread, data, start, end);
  }
  if (traits.synchronizing) flush_finished(end);
  switch_capture(domain, id);
}

}  // namespace

void enable_api_callbacks() {
  enable_domain(CUPTI_CB_DOMAIN_RUNTIME_API);
  enable_domain(CUPTI_CB_DOMAIN_DRIVER_API);
}

// Unmutes a thread that was taken for a thread of CUPTI: CUPTI may deliver records on a thread of
// the program before the thread makes a call that prof knows.
void unmute_caller(std::uint32_t tid) {
  core::ThreadState& t = core::t_state;
  if (t.tid != tid || t.calls_cuda) return;
  t.calls_cuda = true;
  if (t.calls == core::kMuted) t.calls = core::kRecorded;
}

void write_recorded_call(const CUpti_ActivityAPI& call) {
  const CUpti_CallbackDomain domain = call.kind == CUPTI_ACTIVITY_KIND_RUNTIME
                                          ? CUPTI_CB_DOMAIN_RUNTIME_API
                                          : CUPTI_CB_DOMAIN_DRIVER_API;
  const std::uint32_t function = function_id(domain, call.cbid);
  const bool has_row = g_traits[function].traced;
  if (!has_row &&
      driver_call(call.correlationId).load(std::memory_order_relaxed) != call.correlationId)
    return;
  if (has_row && !core::is_named(function)) [[unlikely]]
    name(domain, call.cbid);
  unmute_caller(call.threadId);
  write_call_record(call, function, !has_row);
}

// Forgets calls of earlier collections: prof has not seen the end of a call that was in progress
// when callbacks were switched off.
void forget_other_collections(core::ThreadState& t) {
  const auto collection = static_cast<std::uint8_t>(
      core::g_process.arena->collection_edges.load(std::memory_order_relaxed) | 1);
  if (t.collection != collection) t.cuda_depth = 0;
  t.collection = collection;
}

// Records an API call. A driver call inside a runtime call is not recorded. It has the correlation
// id of the runtime call.
void on_api_call(CUpti_CallbackDomain domain, CUpti_CallbackId id, const CUpti_CallbackData& data,
                 std::uint64_t& word) {
  core::ThreadState& t = core::t_state;
  if (t.in_cupti) return;
  t.calls_cuda = true;
  if (core::has_feature(wire::kFeatureDormancy)) [[unlikely]]
    forget_other_collections(t);
  const bool runtime = domain == CUPTI_CB_DOMAIN_RUNTIME_API;
  if (data.callbackSite == CUPTI_API_ENTER) {
    if (runtime)
      ++t.cuda_depth;
    else if (t.cuda_depth != 0)
      return;
    on_enter(domain, id, word);
  } else {
    if (runtime && t.cuda_depth != 0)  // 0: the call started before the callbacks were enabled
      --t.cuda_depth;
    else if (t.cuda_depth != 0)
      return;
    on_exit(domain, id, data, word);
  }
}

}  // namespace prof::cuda
