// Synchronizations and events, recorded in the callbacks of the API calls. CUPTI has activity kinds
// for both, but each makes a launch-bound step a fifth longer (docs/decisions/0008). The same calls
// as in CUPTI count as synchronizations, including queries with any result.
#include <cstddef>
#include <cstring>

#include "injection/core/record/capture.hpp"
#include "injection/cuda/state.hpp"

namespace prof::cuda {

namespace {

struct RoleOfName {
  const char* beginning;
  SyncRole role;
};
constexpr RoleOfName kRoles[] = {
    {"cudaStreamSynchronize", SyncRole::kStream},
    {"cudaStreamQuery", SyncRole::kStream},
    {"cudaStreamWaitEvent", SyncRole::kStreamWaitEvent},
    {"cudaEventSynchronize", SyncRole::kEvent},
    {"cudaEventQuery", SyncRole::kEvent},
    {"cudaDeviceSynchronize", SyncRole::kContext},
    {"cudaThreadSynchronize", SyncRole::kContext},
    {"cudaEventCreate", SyncRole::kCreateEvent},
    {"cudaEventRecord", SyncRole::kRecordEvent},
    {"cudaStreamBeginCapture", SyncRole::kBeginCapture},
    {"cudaStreamEndCapture", SyncRole::kEndCapture},
    {"cuStreamSynchronize", SyncRole::kStream},
    {"cuStreamQuery", SyncRole::kStream},
    {"cuStreamWaitEvent", SyncRole::kStreamWaitEvent},
    {"cuEventSynchronize", SyncRole::kEvent},
    {"cuEventQuery", SyncRole::kEvent},
    {"cuCtxSynchronize", SyncRole::kContext},
    {"cuEventCreate", SyncRole::kCreateEvent},
    {"cuEventRecord", SyncRole::kRecordEvent},
    {"cuStreamBeginCapture", SyncRole::kBeginCapture},
    {"cuStreamEndCapture", SyncRole::kEndCapture},
    {"cudaGraphExecUpdate", SyncRole::kGraphUpdate},
    {"cuGraphExecUpdate", SyncRole::kGraphUpdate},
};

// The first parameters, which all of these functions share.
struct Parameters {
  void* first;
  void* second;
};
static_assert(offsetof(cudaStreamSynchronize_v3020_params, stream) == 0);
static_assert(offsetof(cudaEventSynchronize_v3020_params, event) == 0);
static_assert(offsetof(cudaStreamWaitEvent_v3020_params, stream) == 0);
static_assert(offsetof(cudaStreamWaitEvent_v3020_params, event) == offsetof(Parameters, second));
static_assert(offsetof(cudaEventRecord_v3020_params, event) == 0);
static_assert(offsetof(cudaEventRecord_v3020_params, stream) == offsetof(Parameters, second));
static_assert(offsetof(cuEventRecord_params, hStream) == offsetof(Parameters, second));
static_assert(offsetof(cuStreamWaitEvent_params, hEvent) == offsetof(Parameters, second));
static_assert(offsetof(cudaStreamBeginCaptureToGraph_v12030_params, stream) == 0);

struct SyncCall {
  const CUpti_CallbackData& data;
  const Parameters& parameters;
  bool per_thread;  // stream 0 is the thread's own
  std::uint64_t start;
  std::uint64_t end;
};

std::uint64_t handle(const void* event) { return reinterpret_cast<std::uint64_t>(event); }

std::uint32_t stream_id(const SyncCall& call, void* stream) {
  return cuda::stream_id(call.data.context, static_cast<CUstream>(stream), call.per_thread);
}

void write_sync(const SyncCall& call, CUpti_ActivitySynchronizationType type, const void* event,
                std::uint32_t stream) {
  core::append(wire::CudaSyncRecord{
      core::header_of<wire::CudaSyncRecord>(wire::RecordType::kCudaSync, call.data.correlationId,
                                            static_cast<std::uint8_t>(type)),
      call.start, call.end, handle(event), call.data.contextUid, stream});
}

void write_event(const SyncCall& call, wire::CudaEventOp op, const void* event,
                 std::uint32_t stream) {
  core::append(wire::CudaEventRecord{
      core::header_of<wire::CudaEventRecord>(wire::RecordType::kCudaEvent, call.data.correlationId,
                                             static_cast<std::uint8_t>(op)),
      call.start, handle(event), call.data.contextUid, stream});
}

// True if the call has done its work: success, not ready, and errors of earlier work. cudaError_t
// and CUresult have the same values here.
bool was_made(std::int32_t result) {
  return result == cudaSuccess || result == cudaErrorNotReady ||
         (result >= cudaErrorIllegalAddress && result < cudaErrorNotPermitted);
}

}  // namespace

std::uint32_t stream_id(CUcontext context, CUstream stream, bool per_thread) {
  core::ThreadState& t = core::t_state;
  std::uint32_t id = wire::kNoCudaId;
  const bool inside = t.in_cupti;
  t.in_cupti = true;
  const CUptiResult result = g_cupti.cuptiGetStreamIdEx(context, stream, per_thread ? 1 : 0, &id);
  t.in_cupti = inside;
  return result == CUPTI_SUCCESS ? object_id(id) : wire::kNoCudaId;
}

SyncRole sync_role(const char* name) {
  const std::uint32_t flags = core::g_process.config.cuda.flags;
  for (const RoleOfName& known : kRoles) {
    if (std::strncmp(name, known.beginning, std::strlen(known.beginning)) != 0) continue;
    if (known.role == SyncRole::kGraphUpdate && (flags & wire::kCudaGraphNodes) == 0) break;
    const bool of_event = known.role >= SyncRole::kCreateEvent;
    return of_event && (flags & wire::kCudaEvents) == 0 ? SyncRole::kNone : known.role;
  }
  return SyncRole::kNone;
}

void on_sync_call(SyncRole role, bool per_thread, const CUpti_CallbackData& data,
                  std::uint64_t start, std::uint64_t end) {
  const auto* result = static_cast<const std::int32_t*>(data.functionReturnValue);
  if (result == nullptr || !was_made(*result) || data.context == nullptr) return;
  static constexpr Parameters kNone{};
  const auto* given = static_cast<const Parameters*>(data.functionParams);
  const SyncCall call{data, given == nullptr ? kNone : *given, per_thread, start, end};
  const Parameters& p = call.parameters;
  switch (role) {
    case SyncRole::kStream:
      return write_sync(call, CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE, nullptr,
                        stream_id(call, p.first));
    case SyncRole::kStreamWaitEvent:
      return write_sync(call, CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_WAIT_EVENT, p.second,
                        stream_id(call, p.first));
    case SyncRole::kEvent:
      return write_sync(call, CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_EVENT_SYNCHRONIZE, p.first,
                        wire::kNoCudaId);
    case SyncRole::kContext:
      return write_sync(call, CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_CONTEXT_SYNCHRONIZE, nullptr,
                        wire::kNoCudaId);
    case SyncRole::kCreateEvent:
      if (p.first == nullptr) return;
      return write_event(call, wire::CudaEventOp::kCreated, *static_cast<void**>(p.first),
                         wire::kNoCudaId);
    case SyncRole::kRecordEvent:
      return write_event(call, wire::CudaEventOp::kRecorded, p.first, stream_id(call, p.second));
    case SyncRole::kBeginCapture:
      return write_event(call, wire::CudaEventOp::kCaptureBegun, nullptr, stream_id(call, p.first));
    case SyncRole::kEndCapture:
      return write_event(call, wire::CudaEventOp::kCaptureEnded, nullptr, stream_id(call, p.first));
    case SyncRole::kGraphUpdate:
    case SyncRole::kNone:
      return;
  }
}

}  // namespace prof::cuda
