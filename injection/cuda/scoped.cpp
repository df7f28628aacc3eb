#include "injection/cuda/scoped.hpp"

#include "common/wire/handshake.hpp"
#include "injection/core/process_state.hpp"
#include "injection/core/record/diagnostics.hpp"
#include "injection/cuda/clients/host.hpp"
#include "injection/cuda/clients/route.hpp"
#include "injection/cuda/selected_records.hpp"
#include "injection/cuda/state.hpp"

namespace prof::cuda {

ScopedApi g_scoped_api;
constinit std::atomic<bool> g_scoped{false};

namespace {

// Our second subscriber, whose records have selected fields. Null: there is none.
constinit CUpti_SubscriberHandle g_selecting = nullptr;
constinit CUpti_TimestampCallbackFunc g_clock = nullptr;

// --- The functions of g_cupti, for our tracer's subscribers.

CUptiResult scoped_enable(CUpti_ActivityKind kind) {
  if (kind == CUPTI_ACTIVITY_KIND_GRAPH_TRACE && are_launches_made()) return CUPTI_SUCCESS;
  const v2::KindConfig* selection = g_selecting == nullptr ? nullptr : selection_of(kind);
  if (selection != nullptr &&
      g_scoped_api.cuptiActivityEnable_v2(g_selecting, kind, selection) == CUPTI_SUCCESS)
    return CUPTI_SUCCESS;
  // CUPTI has made the records of devices before the end of cuInit.
  const bool dumps = kind == CUPTI_ACTIVITY_KIND_DEVICE && are_activities_delayed();
  const auto enable =
      dumps ? g_scoped_api.cuptiActivityEnableAndDump_v2 : g_scoped_api.cuptiActivityEnable_v2;
  return enable(g_state.subscriber, kind, nullptr);
}

CUptiResult scoped_disable(CUpti_ActivityKind kind) {
  const bool is_selected = g_selecting != nullptr && selection_of(kind) != nullptr;
  return g_scoped_api.cuptiActivityDisable_v2(is_selected ? g_selecting : g_state.subscriber, kind,
                                              nullptr);
}

constinit std::atomic<CUpti_BuffersCallbackRequestFunc> g_request{nullptr};
constinit std::atomic<CUpti_BuffersCallbackCompleteFunc> g_complete{nullptr};

void on_request(std::uint8_t** memory, std::size_t* size, std::size_t* records, void*) {
  g_request.load(std::memory_order_acquire)(memory, size, records);
}

void on_complete(std::uint8_t* memory, std::size_t size, std::size_t valid, void*) {
  g_complete.load(std::memory_order_acquire)(nullptr, 0, memory, size, valid);
}

void on_selected_complete(std::uint8_t* memory, std::size_t, std::size_t valid, void* info) {
  complete_selected(g_selecting, memory, valid, static_cast<const v2::BufferInfo*>(info));
}

CUptiResult scoped_register_callbacks(CUpti_BuffersCallbackRequestFunc request,
                                      CUpti_BuffersCallbackCompleteFunc complete) {
  g_request.store(request, std::memory_order_release);
  g_complete.store(complete, std::memory_order_release);
  if (g_selecting != nullptr)
    g_scoped_api.cuptiActivityRegisterCallbacks_v2(g_selecting, on_request, on_selected_complete);
  return g_scoped_api.cuptiActivityRegisterCallbacks_v2(g_state.subscriber, on_request,
                                                        on_complete);
}

CUptiResult scoped_get_next_record(std::uint8_t* memory, std::size_t valid,
                                   CUpti_Activity** record) {
  return g_scoped_api.cuptiActivityGetNextRecord_v2(g_state.subscriber, memory, valid, record);
}

CUptiResult scoped_get_dropped(CUcontext context, std::uint32_t stream, std::size_t* dropped) {
  std::size_t selected = 0;
  if (g_selecting != nullptr)
    g_scoped_api.cuptiActivityGetNumDroppedRecords_v2(g_selecting, context, stream, &selected);
  const CUptiResult result = g_scoped_api.cuptiActivityGetNumDroppedRecords_v2(
      g_state.subscriber, context, stream, dropped);
  *dropped += selected;
  return result;
}

CUptiResult scoped_get_time(std::uint64_t* time) {
  return g_scoped_api.cuptiGetTimestamp_v2(g_state.subscriber, time);
}

CUptiResult scoped_set_clock(CUpti_TimestampCallbackFunc clock) {
  g_clock = clock;
  return set_scoped(g_state.subscriber, v2::kClockAttribute, clock);
}

CUptiResult scoped_set_thread_ids(CUpti_ActivityThreadIdType type) {
  return set_scoped(g_state.subscriber, v2::kThreadIdAttribute, type);
}

CUptiResult scoped_set_flush_period(std::uint32_t milliseconds) {
  return set_flush_timer(0, milliseconds);
}

void use_scoped_functions() {
  g_real = g_cupti;
  g_cupti.cuptiActivityEnable = scoped_enable;
  g_cupti.cuptiActivityDisable = scoped_disable;
  g_cupti.cuptiActivityRegisterCallbacks = scoped_register_callbacks;
  g_cupti.cuptiActivityGetNextRecord = scoped_get_next_record;
  g_cupti.cuptiActivityGetNumDroppedRecords = scoped_get_dropped;
  g_cupti.cuptiGetTimestamp = scoped_get_time;
  g_cupti.cuptiActivityRegisterTimestampCallback = scoped_set_clock;
  g_cupti.cuptiSetThreadIdType = scoped_set_thread_ids;
  g_cupti.cuptiActivityFlushPeriod = scoped_set_flush_period;
}

template <class Function>
bool find_scoped(const char* name, Function*& slot) {
  slot = reinterpret_cast<Function*>(clients::look_up(const_cast<void*>(g_cupti_library), name));
  return slot != nullptr;
}

bool find_functions() {
  bool complete = g_cupti.cuptiSubscribe_v2 != nullptr && g_cupti.cuptiUnsubscribe != nullptr;
#define X(name, params) complete = find_scoped(#name, g_scoped_api.name) && complete;
  PROF_SCOPED_FUNCTIONS(X)
#undef X
  return complete;
}

bool are_others_allowed(CUpti_SubscriberHandle handle) {
  std::uint8_t state = 0;
  std::size_t size = sizeof state;
  return g_scoped_api.cuptiActivityGetAttribute_v2(handle, v2::kSubscribersAttribute, &size,
                                                   &state) == CUPTI_SUCCESS &&
         state == 1;
}

// Records of nodes and of whole graphs exclude each other for all subscribers.
bool choose_graphs(CUpti_SubscriberHandle handle) {
  const bool has_nodes =
      (core::g_process.config.cuda.flags & wire::kCudaGraphNodes) != 0 || choose_graph_nodes();
  const auto whole = static_cast<std::uint8_t>(has_nodes ? 0 : 1);
  return set_scoped(handle, v2::kWholeGraphsAttribute, whole) == CUPTI_SUCCESS;
}

// Everything that our tracer cannot do without, and that the library may refuse.
bool is_usable(CUpti_SubscriberHandle handle) {
  return are_others_allowed(handle) &&
         set_scoped(handle, v2::kThreadIdAttribute, CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM) ==
             CUPTI_SUCCESS &&
         choose_graphs(handle);
}

void ignore(void*, CUpti_CallbackDomain, CUpti_CallbackId, const void*) {}

bool try_to_subscribe(CUpti_CallbackFunc callback) {
  if (g_cupti.version < v2::kSeveralSubscribers || !find_functions()) return false;
  CUpti_SubscriberHandle handle = nullptr;
  g_real.cuptiSubscribe_v2 = g_cupti.cuptiSubscribe_v2;
  if (subscribe_scoped(handle, callback, nullptr, "prof") != CUPTI_SUCCESS) return false;
  if (!is_usable(handle)) {
    g_cupti.cuptiUnsubscribe(handle);
    return false;
  }
  g_state.subscriber = handle;
  return true;
}

}  // namespace

void select_fields() {
  constexpr std::uint8_t kOn = 1;
  if (subscribe_scoped(g_selecting, ignore, nullptr, "prof, GPU work") != CUPTI_SUCCESS)
    g_selecting = nullptr;
  else if (set_scoped(g_selecting, v2::kSelectionsAttribute, kOn) != CUPTI_SUCCESS ||
           set_scoped(g_selecting, v2::kClockAttribute, g_clock) != CUPTI_SUCCESS)
    end_selections();
}

bool are_fields_selected() { return g_selecting != nullptr; }

void end_selections() {
  if (g_selecting != nullptr) g_cupti.cuptiUnsubscribe(g_selecting);
  g_selecting = nullptr;
}

CUptiResult subscribe_scoped(CUpti_SubscriberHandle& handle, CUpti_CallbackFunc callback,
                             void* userdata, const char* name) {
  v2::SubscriberParams parameters{};
  parameters.size = sizeof parameters;
  parameters.name = name;
  parameters.allows_others = 1;
  return g_real.cuptiSubscribe_v2(&handle, callback, userdata,
                                  reinterpret_cast<CUpti_SubscriberParams*>(&parameters));
}

bool subscribe_beside_others(CUpti_CallbackFunc callback) {
  if (!clients::is_shared() ||
      (core::g_process.config.cuda.flags & wire::kCudaSeveralSubscribers) == 0)
    return false;
  const bool beside = try_to_subscribe(callback);
  core::report(wire::DiagnosticCode::kCuptiSubscribers, beside ? 1 : 0);
  if (beside) {
    use_scoped_functions();
    g_scoped.store(true, std::memory_order_release);
  }
  return beside;
}

}  // namespace prof::cuda
