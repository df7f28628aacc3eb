// CUPTI's functions that have a subscriber. They answer what the documents of CUPTI and its
// messages say. Like the real ones they crash if a handle is not CUPTI's. CUDA's headers may
// declare them with other types, so they have other names here.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <utility>

#include "record_sizes.hpp"
#include "several/subscribers.hpp"

using namespace fake;

namespace {

using prof::cuda::v2::SubscriberParams;

constexpr std::uint32_t kFirstVersion = 130301;
constexpr auto kTaken = CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;

bool is_supported() { return misbehaviour().version >= kFirstVersion; }

bool is_gpu_work(CUpti_ActivityKind kind) {
  return kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL || kind == CUPTI_ACTIVITY_KIND_MEMCPY ||
         kind == CUPTI_ACTIVITY_KIND_MEMSET;
}

bool is_valid(CUpti_ExternalCorrelationKind kind) {
  return kind > CUPTI_EXTERNAL_CORRELATION_KIND_INVALID &&
         kind < CUPTI_EXTERNAL_CORRELATION_KIND_SIZE;
}

}  // namespace

// The first subscriber decides whether there may be others, for the whole process.
CUptiResult fake_subscribe_with_others(CUpti_SubscriberHandle* handle, CUpti_CallbackFunc callback,
                                       void* userdata, CUpti_SubscriberParams* parameters) {
  if (!is_supported()) return CUPTI_ERROR_NOT_SUPPORTED;
  const bool allows = reinterpret_cast<SubscriberParams*>(parameters)->allows_others != 0;
  const bool has_older = [] {
    const std::lock_guard lock(state().lock);
    return state().callback != nullptr || misbehaviour().taken;
  }();
  const std::lock_guard lock(subscribers().lock);
  if (allows && misbehaviour().one_subscriber) return kTaken;
  const bool is_alone = subscribers().present == 0;
  if (has_older || (subscribers().allows >= 0 && (subscribers().allows != 0) != allows) ||
      (!is_alone && !allows)) {
    if (parameters->oldSubscriberName != nullptr)
      std::snprintf(parameters->oldSubscriberName, parameters->oldSubscriberSize, "CUPTI for %s",
                    has_older ? "another one" : subscribers().list.front().name.c_str());
    return kTaken;
  }
  subscribers().allows = allows ? 1 : 0;
  Subscriber& made = add_subscriber();
  made.name = parameters->subscriberName == nullptr ? "" : parameters->subscriberName;
  made.callback = callback;
  made.userdata = userdata;
  ++subscribers().present;
  *handle = reinterpret_cast<CUpti_SubscriberHandle>(&made);
  return CUPTI_SUCCESS;
}

// Defines a function of newer versions. A version without it answers as the libraries do in which
// clients look it up in vain.
#define WITH_SUBSCRIBER(name, params)                                                              \
  extern "C" __attribute__((visibility("default"))) CUptiResult fake_##name params __asm__(#name); \
  CUptiResult fake_##name params

#define BEGIN                                            \
  if (!is_supported()) return CUPTI_ERROR_NOT_SUPPORTED; \
  if (fails(__func__ + 5)) return misbehaviour().result; \
  Subscriber& one = subscriber_of(subscriber);           \
  const std::lock_guard lock(subscribers().lock)

WITH_SUBSCRIBER(cuptiGetTimestamp_v2, (CUpti_SubscriberHandle subscriber, std::uint64_t* time)) {
  BEGIN;
  *time = one.clock.now();
  return CUPTI_SUCCESS;
}

WITH_SUBSCRIBER(cuptiActivityEnable_v2,
                (CUpti_SubscriberHandle subscriber, CUpti_ActivityKind kind, void* config)) {
  {
    BEGIN;
    if (record_size(kind, misbehaviour().version) == 0) return CUPTI_ERROR_INVALID_KIND;
    if (misbehaviour().only_selections && !one.selects && is_gpu_work(kind))
      return CUPTI_ERROR_INVALID_KIND;
    if (one.selects &&
        (config == nullptr ||
         !one.selections.add(kind, static_cast<prof::cuda::v2::KindConfig*>(config)->selection)))
      return CUPTI_ERROR_INVALID_PARAMETER;
    if (kind == CUPTI_ACTIVITY_KIND_GRAPH_TRACE && subscribers().graphs != 1) return kTaken;
    subscribers().used = true;
    subscribers().began = true;
    one.kinds.set(static_cast<unsigned>(kind));
    if (kind == CUPTI_ACTIVITY_KIND_DEVICE && state().devices == 0) one.has_devices = true;
    if (kind == CUPTI_ACTIVITY_KIND_RUNTIME) one.hidden_apis[CUPTI_CB_DOMAIN_RUNTIME_API].reset();
  }
  if (kind == CUPTI_ACTIVITY_KIND_NVLINK) dump_links();
  return CUPTI_SUCCESS;
}

WITH_SUBSCRIBER(cuptiActivityEnableAndDump_v2,
                (CUpti_SubscriberHandle subscriber, CUpti_ActivityKind kind, void* config)) {
  const CUptiResult result = fake_cuptiActivityEnable_v2(subscriber, kind, config);
  if (result == CUPTI_SUCCESS && kind == CUPTI_ACTIVITY_KIND_DEVICE)
    subscriber_of(subscriber).has_devices = true;
  return result;
}

WITH_SUBSCRIBER(cuptiActivityDisable_v2,
                (CUpti_SubscriberHandle subscriber, CUpti_ActivityKind kind, void*)) {
  BEGIN;
  if (record_size(kind, misbehaviour().version) == 0) return CUPTI_ERROR_INVALID_KIND;
  one.kinds.reset(static_cast<unsigned>(kind));
  return CUPTI_SUCCESS;
}

WITH_SUBSCRIBER(cuptiActivityEnableRuntimeApi_v2,
                (CUpti_SubscriberHandle subscriber, CUpti_CallbackId id, std::uint8_t enable)) {
  BEGIN;
  one.hidden_apis[CUPTI_CB_DOMAIN_RUNTIME_API].set(id, enable == 0);
  return CUPTI_SUCCESS;
}

WITH_SUBSCRIBER(cuptiActivityEnableDriverApi_v2,
                (CUpti_SubscriberHandle subscriber, CUpti_CallbackId id, std::uint8_t enable)) {
  BEGIN;
  one.hidden_apis[CUPTI_CB_DOMAIN_DRIVER_API].set(id, enable == 0);
  return CUPTI_SUCCESS;
}

WITH_SUBSCRIBER(cuptiActivityRegisterCallbacks_v2,
                (CUpti_SubscriberHandle subscriber, prof::cuda::v2::Request* request,
                 prof::cuda::v2::Complete* complete)) {
  BEGIN;
  if (request == nullptr || complete == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
  subscribers().used = true;
  one.request = request;
  one.complete = complete;
  return CUPTI_SUCCESS;
}

WITH_SUBSCRIBER(cuptiActivityGetNextRecord_v2,
                (CUpti_SubscriberHandle subscriber, std::uint8_t* buffer, std::size_t valid,
                 CUpti_Activity** record)) {
  BEGIN;
  auto* next = buffer;
  if (*record != nullptr)
    next = reinterpret_cast<std::uint8_t*>(*record) +
           (one.selects ? one.selections.record_size((*record)->kind)
                        : record_size((*record)->kind, misbehaviour().version));
  if (next >= buffer + valid) return CUPTI_ERROR_MAX_LIMIT_REACHED;
  *record = reinterpret_cast<CUpti_Activity*>(next);
  return CUPTI_SUCCESS;
}

WITH_SUBSCRIBER(cuptiActivityGetNumDroppedRecords_v2, (CUpti_SubscriberHandle subscriber, CUcontext,
                                                       std::uint32_t, std::size_t* dropped)) {
  BEGIN;
  *dropped = std::exchange(one.dropped, 0);
  return CUPTI_SUCCESS;
}

WITH_SUBSCRIBER(cuptiActivityPushExternalCorrelationId_v2,
                (CUpti_SubscriberHandle subscriber, CUpti_ExternalCorrelationKind kind,
                 std::uint64_t id)) {
  BEGIN;
  if (!is_valid(kind)) return CUPTI_ERROR_INVALID_PARAMETER;
  external_ids_of(one, kind).push_back(id);
  return CUPTI_SUCCESS;
}

WITH_SUBSCRIBER(cuptiActivityPopExternalCorrelationId_v2,
                (CUpti_SubscriberHandle subscriber, CUpti_ExternalCorrelationKind kind,
                 std::uint64_t* last)) {
  BEGIN;
  if (!is_valid(kind)) return CUPTI_ERROR_INVALID_PARAMETER;
  auto& ids = external_ids_of(one, kind);
  if (ids.empty()) return CUPTI_ERROR_QUEUE_EMPTY;
  if (last != nullptr) *last = ids.back();
  ids.pop_back();
  return CUPTI_SUCCESS;
}

namespace {

// The first value holds for all subscribers, and comes before anything is enabled.
CUptiResult choose_graphs(int whole) {
  if (subscribers().graphs >= 0)
    return subscribers().graphs == whole ? CUPTI_SUCCESS : CUPTI_ERROR_NOT_COMPATIBLE;
  if (subscribers().began) return CUPTI_ERROR_NOT_COMPATIBLE;
  subscribers().graphs = whole;
  state().graphs_stay_whole = whole != 0;
  return CUPTI_SUCCESS;
}

std::size_t size_of_attribute(int attribute) {
  using namespace prof::cuda::v2;
  if (attribute == kThreadIdAttribute) return sizeof(CUpti_ActivityThreadIdType);
  if (attribute == 5 || attribute == 8 || attribute == 9) return 1;
  return attribute < static_cast<int>(kFirstAttribute) || attribute == kClockAttribute ? 8 : 1;
}

}  // namespace

WITH_SUBSCRIBER(cuptiActivitySetAttribute_v2,
                (CUpti_SubscriberHandle subscriber, CUpti_ActivityAttribute attribute,
                 std::size_t* size, void* value)) {
  using namespace prof::cuda::v2;
  BEGIN;
  if (size == nullptr || value == nullptr || attribute == kSubscribersAttribute)
    return CUPTI_ERROR_INVALID_PARAMETER;
  const std::size_t needed = size_of_attribute(attribute);
  if (*size < needed) return CUPTI_ERROR_PARAMETER_SIZE_NOT_SUFFICIENT;
  std::uint64_t given = 0;
  std::memcpy(&given, value, needed);
  if (attribute == kWholeGraphsAttribute) return choose_graphs(static_cast<int>(given));
  if (attribute == kSelectionsAttribute) {
    if (misbehaviour().no_selections) return CUPTI_ERROR_NOT_SUPPORTED;
    one.selects = given != 0;
  }
  if (attribute == kHardwareTraceAttribute) {
    if (subscribers().began) return CUPTI_ERROR_NOT_COMPATIBLE;
    if (misbehaviour().no_hardware_trace) report_missing_hardware_trace();
  }
  if (attribute == kClockAttribute) {
    // As CUPTI 13.5 answers once any subscriber has enabled a kind.
    if (subscribers().began) return CUPTI_ERROR_NOT_COMPATIBLE;
    one.clock.set(reinterpret_cast<CUpti_TimestampCallbackFunc>(given));
  }
  if (attribute == kThreadIdAttribute)
    one.thread_ids = static_cast<CUpti_ActivityThreadIdType>(given);
  one.attributes[attribute] = given;
  return CUPTI_SUCCESS;
}

WITH_SUBSCRIBER(cuptiActivityGetAttribute_v2,
                (CUpti_SubscriberHandle subscriber, CUpti_ActivityAttribute attribute,
                 std::size_t* size, void* value)) {
  using namespace prof::cuda::v2;
  BEGIN;
  if (size == nullptr || value == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
  std::uint64_t found = attribute == CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_SIZE ? 3'200'000 : 0;
  if (const auto set = one.attributes.find(attribute); set != one.attributes.end())
    found = set->second;
  if (attribute == kSubscribersAttribute)
    found = subscribers().allows < 0 ? 2 : static_cast<std::uint64_t>(subscribers().allows);
  *size = size_of_attribute(attribute);
  std::memcpy(value, &found, *size);
  return CUPTI_SUCCESS;
}

#undef BEGIN
#undef WITH_SUBSCRIBER
