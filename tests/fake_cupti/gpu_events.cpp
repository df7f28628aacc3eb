#include <array>

#include "gpu.hpp"

namespace fake {

namespace {

using Type = CUpti_ActivitySynchronizationType;

// The handle of a stream points to its id for CUPTI. The handle of an event only has to be unique.
const void* stream_handle(Place at) {
  static constexpr std::uint32_t kStreams = 32;
  static const auto objects = [] {
    std::array<Object, kStreams> made{};
    for (std::uint32_t id = 0; id < kStreams; ++id) made[id].id = id;
    return made;
  }();
  return &objects[at.stream];
}
const void* event_handle(std::uint32_t event) {
  return reinterpret_cast<const void*>(std::uintptr_t{0x1000} * event);
}

// A waiting thread is not in a stream.
Place no_stream(Place at) { return {at.device, at.context, kNone}; }

void nothing(std::uint32_t) {}

}  // namespace

void Gpu::expect_sync(std::uint32_t correlation, Type type, Place at, std::uint32_t event) {
  const std::uint32_t recording = event == kNone ? kNone : events_[event - 1].recording;
  CUpti_ActivitySynchronization2 sync{};  // for a client that requests it, such as the recorder
  sync.kind = CUPTI_ACTIVITY_KIND_SYNCHRONIZATION;
  sync.type = type;
  sync.correlationId = correlation;
  sync.contextId = at.context;
  sync.streamId = at.stream;
  sync.cudaEventId = event;
  sync.cudaEventSyncId = recording;
  put(sync);
  const bool green = at.context == kGreen.context;
  expect("SYNCHRONIZATION", {{"deviceId", at.device},
                             {"contextId", green ? kFirst.context : at.context},
                             {"greenContextId", nullptr},  // as in nsys's
                             {"streamId", at.stream},
                             {"correlationId", correlation},
                             {"syncType", static_cast<int>(type)},
                             {"eventId", event},
                             {"eventSyncId", recording}});
}

std::uint32_t Gpu::call_of_stream(CUpti_CallbackId id, CUpti_CallbackId below, Place at) {
  return runtime_over_driver(id, below, nothing, {at.context, {stream_handle(at)}});
}

std::uint32_t Gpu::create_event() {
  events_.push_back({0, kFirst});
  const auto event = static_cast<std::uint32_t>(events_.size());
  const void* made = nullptr;
  runtime_over_driver(
      CUPTI_RUNTIME_TRACE_CBID_cudaEventCreate_v3020, CUPTI_DRIVER_TRACE_CBID_cuEventCreate,
      [&](std::uint32_t) { made = event_handle(event); }, {kFirst.context, {&made}});
  return event;
}

void Gpu::record_event(std::uint32_t event, Place at, bool into_graph) {
  const std::uint32_t correlation = runtime_over_driver(
      CUPTI_RUNTIME_TRACE_CBID_cudaEventRecord_v3020, CUPTI_DRIVER_TRACE_CBID_cuEventRecord,
      nothing, {at.context, {event_handle(event), stream_handle(at)}});
  if (into_graph) return expect("CAPTURED", {{"correlationId", correlation}});
  events_[event - 1] = {++last_recording_, at};
  CUpti_ActivityCudaEvent2 made{};
  made.kind = CUPTI_ACTIVITY_KIND_CUDA_EVENT;
  made.deviceId = at.device;
  made.contextId = at.context;
  made.streamId = at.stream;
  made.correlationId = correlation;
  made.eventId = event;
  made.cudaEventSyncId = last_recording_;
  put(made);
  const bool green = at.context == kGreen.context;
  expect("CUDA_EVENT", {{"deviceId", at.device},
                        {"contextId", green ? kFirst.context : at.context},
                        {"greenContextId", green ? at.context : 0},
                        {"streamId", at.stream},
                        {"correlationId", correlation},
                        {"eventId", event},
                        {"eventSyncId", last_recording_}});
}

void Gpu::wait_for_event(std::uint32_t event, Place at) {
  const std::uint32_t correlation = runtime_over_driver(
      CUPTI_RUNTIME_TRACE_CBID_cudaEventSynchronize_v3020,
      CUPTI_DRIVER_TRACE_CBID_cuEventSynchronize, nothing, {at.context, {event_handle(event)}});
  expect_sync(correlation, CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_EVENT_SYNCHRONIZE,
              no_stream(events_[event - 1].at), event);
}

void Gpu::make_wait(Place at, std::uint32_t event) {
  const std::uint32_t correlation = runtime_over_driver(
      CUPTI_RUNTIME_TRACE_CBID_cudaStreamWaitEvent_v3020, CUPTI_DRIVER_TRACE_CBID_cuStreamWaitEvent,
      nothing, {at.context, {stream_handle(at), event_handle(event)}});
  expect_sync(correlation, CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_WAIT_EVENT, at, event);
}

void Gpu::wait_for_stream(Place at) {
  expect_sync(call_of_stream(CUPTI_RUNTIME_TRACE_CBID_cudaStreamSynchronize_v3020,
                             CUPTI_DRIVER_TRACE_CBID_cuStreamSynchronize, at),
              CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE, at);
}

// These calls are not among those that are traced by default.
void Gpu::query_stream(Place at) {
  const Arguments arguments{at.context, {stream_handle(at)}};
  ApiCall call(CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_cudaStreamQuery_v3020,
               arguments);
  call.result = 600;  // cudaErrorNotReady
  const ApiCall below(CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuStreamQuery, arguments);
  expect("QUERY", {{"name", "cudaStreamQuery_v3020"}, {"correlationId", call.correlation}});
  expect_sync(call.correlation, CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE, at);
}

void Gpu::wait_for_device(Place at) {
  const std::uint32_t correlation =
      runtime_over_driver(CUPTI_RUNTIME_TRACE_CBID_cudaDeviceSynchronize_v3020,
                          CUPTI_DRIVER_TRACE_CBID_cuCtxSynchronize, nothing, {at.context, {}});
  expect_sync(correlation, CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_CONTEXT_SYNCHRONIZE, no_stream(at));
}

void Gpu::begin_capture(Place at) {
  call_of_stream(CUPTI_RUNTIME_TRACE_CBID_cudaStreamBeginCapture_v10000,
                 CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_v2, at);
}

void Gpu::end_capture(Place at) {
  call_of_stream(CUPTI_RUNTIME_TRACE_CBID_cudaStreamEndCapture_v10000,
                 CUPTI_DRIVER_TRACE_CBID_cuStreamEndCapture, at);
}

}  // namespace fake
