// libcupti.so.13 without a GPU: its callbacks and activities.
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "counters/gpu_samples.hpp"
#include "fake_state.hpp"
#include "record_sizes.hpp"

namespace fake {

State& state() {
  static State& s = *new State;
  return s;
}

namespace {

struct CallbackName {
  std::uint32_t id;
  const char* text;
};
constexpr CallbackName kRuntimeNames[] = {
#include "runtime_names.inc"
};
constexpr CallbackName kDriverNames[] = {
#include "driver_names.inc"
};

template <std::size_t n>
constexpr bool is_dense(const CallbackName (&names)[n]) {
  for (std::size_t i = 0; i < n; ++i)
    if (names[i].id != i + 1) return false;
  return true;
}
static_assert(is_dense(kRuntimeNames) && is_dense(kDriverNames));

template <std::size_t n>
const char* name_of(const CallbackName (&names)[n], std::uint32_t id) {
  return id >= 1 && id <= n ? names[id - 1].text : nullptr;
}

const char* callback_name(CUpti_CallbackDomain domain, std::uint32_t id) {
  if (domain == CUPTI_CB_DOMAIN_RUNTIME_API) return name_of(kRuntimeNames, id);
  if (domain == CUPTI_CB_DOMAIN_DRIVER_API) return name_of(kDriverNames, id);
  return nullptr;
}

std::uint64_t read_clock(clockid_t clock) {
  timespec time;
  clock_gettime(clock, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(time.tv_nsec);
}

std::atomic<std::uint32_t> g_correlation;
thread_local ApiCall* t_innermost;

}  // namespace

std::uint64_t now() {
  const CUpti_TimestampCallbackFunc theirs = state().timestamp;
  return theirs != nullptr ? theirs() : read_clock(CLOCK_REALTIME);
}

bool listens(CUpti_CallbackDomain domain, CUpti_CallbackId id) {
  State& s = state();
  const std::lock_guard lock(s.lock);
  return (s.callback != nullptr && id < kMaxIds && s.callbacks[domain].test(id)) ||
         do_subscribers_listen(domain, id);
}

bool is_enabled(CUpti_ActivityKind kind) {
  State& s = state();
  const std::lock_guard lock(s.lock);
  return s.kinds.test(static_cast<std::size_t>(kind)) || is_enabled_for_subscribers(kind);
}

bool do_graphs_stay_whole() { return state().graphs_stay_whole; }

namespace {

// Calls those who listen: the one subscriber, or those of cuptiSubscribe_v2.
void call_back(CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data) {
  State& s = state();
  bool listens_here;
  {
    const std::lock_guard lock(s.lock);
    listens_here = s.callback != nullptr && id < kMaxIds && s.callbacks[domain].test(id);
  }
  if (listens_here) s.callback(s.userdata, domain, id, data);
  call_subscribers(domain, id, data);
}

void notify(CUpti_CallbackId id, CUptiResult result, const char* message) {
  CUpti_StateData data{};
  data.notification.result = result;
  data.notification.message = message;
  call_back(CUPTI_CB_DOMAIN_STATE, id, &data);
}

}  // namespace

// A link of two GPUs by two wires. The client frees the ports.
void dump_links() {
  const auto ports_from = [](std::uint32_t first) {
    auto* ports = static_cast<std::uint32_t*>(std::malloc(2 * sizeof(std::uint32_t)));
    ports[0] = first;
    ports[1] = first + 1;
    return ports;
  };
  prof::cuda::v2::NvLink link{};
  link.kind = CUPTI_ACTIVITY_KIND_NVLINK;
  link.links = 2;
  link.ports[0] = ports_from(1);
  link.ports[1] = ports_from(3);
  record(&link, sizeof link);
}

void report_missing_hardware_trace() {
  notify(CUPTI_CBID_STATE_ERROR, CUPTI_ERROR_NOT_SUPPORTED,
         "HES is not supported on the system. Falling back.");
}

void report_full_hardware() {
  State& s = state();
  {
    const std::lock_guard lock(s.lock);
    if (!s.is_hardware_full) return;
    s.is_hardware_full = false;
  }
  static std::atomic<bool> reported;
  if (!reported.exchange(true))
    notify(CUPTI_CBID_STATE_WARNING, CUPTI_SUCCESS,
           "HES events were dropped by HW. Some activity records will be lost.");
}

void init_finished(int devices) {
  state().devices = devices;
  CUpti_ResourceData data{};
  call_back(CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_CU_INIT_FINISHED, &data);
}

void resource(CUpti_CallbackId id, CUcontext context, void* descriptor) {
  CUpti_ResourceData data{};
  data.context = context;
  data.resourceDescriptor = descriptor;
  call_back(CUPTI_CB_DOMAIN_RESOURCE, id, &data);
}

void resource(CUpti_CallbackId id, CUpti_GraphData& graph) { resource(id, nullptr, &graph); }

ApiCall::ApiCall(CUpti_CallbackDomain domain, CUpti_CallbackId id, const Arguments& arguments)
    : correlation(t_innermost != nullptr ? t_innermost->correlation : ++g_correlation),
      domain_(domain),
      id_(id),
      arguments_(arguments),
      outer_(t_innermost),
      start_(now()) {
  t_innermost = this;
  call_back(CUPTI_API_ENTER);
}

ApiCall::~ApiCall() {
  call_back(CUPTI_API_EXIT);
  record_call(domain_, id_, correlation, start_, result);
  t_innermost = outer_;
}

void ApiCall::call_back(CUpti_ApiCallbackSite site) {
  replay_call(domain_, id_, site, correlation, result, &correlation_data_, arguments_);
}

void replay_call(CUpti_CallbackDomain domain, CUpti_CallbackId id, CUpti_ApiCallbackSite site,
                 std::uint32_t correlation, std::int32_t result, std::uint64_t* correlation_data,
                 const Arguments& arguments) {
  if (!listens(domain, id)) return;
  CUpti_CallbackData data{};
  data.callbackSite = site;
  data.functionName = callback_name(domain, id);
  data.functionParams =
      arguments.all_parameters == nullptr ? arguments.parameters : arguments.all_parameters;
  data.symbolName = arguments.symbol;
  data.context = reinterpret_cast<CUcontext>(&state());
  data.contextUid = arguments.context;
  data.functionReturnValue = site == CUPTI_API_EXIT ? &result : nullptr;
  data.correlationData = correlation_data;
  data.correlationId = correlation;
  call_back(domain, id, &data);
}

}  // namespace fake

using fake::fails;
using fake::misbehaviour;
using fake::state;

#define FAILS_IF_ASKED \
  if (fails(__func__)) return misbehaviour().result

// With the parameters of newer versions (several/subscribers.cpp).
CUptiResult fake_subscribe_with_others(CUpti_SubscriberHandle* subscriber,
                                       CUpti_CallbackFunc callback, void* userdata,
                                       CUpti_SubscriberParams* parameters);

extern "C" {

CUptiResult cuptiGetVersion(std::uint32_t* version) {
  FAILS_IF_ASKED;
  *version = misbehaviour().version;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiSubscribe_v2(CUpti_SubscriberHandle* subscriber, CUpti_CallbackFunc callback,
                              void* userdata, CUpti_SubscriberParams* parameters) {
  FAILS_IF_ASKED;
  if (parameters->structSize > prof::cuda::v2::kFirstParamsSize)
    return fake_subscribe_with_others(subscriber, callback, userdata, parameters);
  const CUptiResult result = cuptiSubscribe(subscriber, callback, userdata);
  if (result == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED &&
      parameters->oldSubscriberName != nullptr)
    std::snprintf(parameters->oldSubscriberName, parameters->oldSubscriberSize, "%s",
                  misbehaviour().unnamed ? "<not provided>" : "CUPTI for another one");
  return result;
}

CUptiResult cuptiSubscribe(CUpti_SubscriberHandle* subscriber, CUpti_CallbackFunc callback,
                           void* userdata) {
  FAILS_IF_ASKED;
  usleep(static_cast<useconds_t>(misbehaviour().slow_start) * 1000);
  const std::lock_guard lock(state().lock);
  if (misbehaviour().taken || state().callback != nullptr)
    return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
  if (const CUptiResult result = fake::answer_to_older_subscription()) return result;
  state().callback = callback;
  state().userdata = userdata;
  *subscriber = reinterpret_cast<CUpti_SubscriberHandle>(&state());
  return CUPTI_SUCCESS;
}

CUptiResult cuptiEnableCallback(std::uint32_t enable, CUpti_SubscriberHandle subscriber,
                                CUpti_CallbackDomain domain, CUpti_CallbackId id) {
  FAILS_IF_ASKED;
  if (id >= fake::kMaxIds || domain >= CUPTI_CB_DOMAIN_SIZE) return CUPTI_ERROR_INVALID_PARAMETER;
  constexpr CUpti_CallbackId kFirstNewer = 700;
  if (misbehaviour().older_driver && id >= kFirstNewer) return CUPTI_ERROR_INVALID_PARAMETER;
  if (fake::set_callback_of_subscriber(subscriber, domain, id, enable != 0)) return CUPTI_SUCCESS;
  if (reinterpret_cast<fake::State*>(subscriber) != &state()) {
    fake::reject_handle();
    return CUPTI_ERROR_INVALID_PARAMETER;
  }
  const std::lock_guard lock(state().lock);
  state().callbacks[domain].set(id, enable != 0);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiUnsubscribe(CUpti_SubscriberHandle subscriber) {
  FAILS_IF_ASKED;
  usleep(static_cast<useconds_t>(misbehaviour().slow_end) * 1000);
  if (fake::end_subscriber(subscriber)) return CUPTI_SUCCESS;
  if (reinterpret_cast<fake::State*>(subscriber) != &state()) fake::reject_handle();
  const std::lock_guard lock(state().lock);
  if (reinterpret_cast<fake::State*>(subscriber) != &state() || state().callback == nullptr)
    return CUPTI_ERROR_INVALID_PARAMETER;
  state().callback = nullptr;
  for (auto& domain : state().callbacks) domain.reset();
  if (misbehaviour().busy)
    std::fprintf(stderr, "fake CUPTI: %zu buffers kept\n", fake::buffers_of_client());
  return CUPTI_SUCCESS;
}

CUptiResult cuptiEnableDomain(std::uint32_t enable, CUpti_SubscriberHandle subscriber,
                              CUpti_CallbackDomain domain) {
  FAILS_IF_ASKED;
  if (domain >= CUPTI_CB_DOMAIN_SIZE) return CUPTI_ERROR_INVALID_PARAMETER;
  if (fake::set_domain_of_subscriber(subscriber, domain, enable != 0)) return CUPTI_SUCCESS;
  if (reinterpret_cast<fake::State*>(subscriber) != &state()) fake::reject_handle();
  const std::lock_guard lock(state().lock);
  enable != 0 ? state().callbacks[domain].set() : state().callbacks[domain].reset();
  return CUPTI_SUCCESS;
}

CUptiResult cuptiGetCallbackName(CUpti_CallbackDomain domain, std::uint32_t id, const char** name) {
  FAILS_IF_ASKED;
  const char* known = fake::callback_name(domain, id);
  if (known == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
  *name = known;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind) {
  FAILS_IF_ASKED;
  if (const CUptiResult result = fake::answer_to_older_call()) return result;
  if (fake::record_size(kind, misbehaviour().version) == 0) return CUPTI_ERROR_INVALID_KIND;
  if (fake::is_any_sampled()) return CUPTI_ERROR_NOT_COMPATIBLE;
  {
    const std::lock_guard lock(state().lock);
    state().kinds.set(static_cast<std::size_t>(kind));
    if (kind == CUPTI_ACTIVITY_KIND_RUNTIME)
      state().hidden_apis[CUPTI_CB_DOMAIN_RUNTIME_API].reset();
    if (kind == CUPTI_ACTIVITY_KIND_GRAPH_TRACE &&
        misbehaviour().version >= prof::cuda::v2::kGraphsStayWhole)
      state().graphs_stay_whole = true;
  }
  if (kind == CUPTI_ACTIVITY_KIND_NVLINK) fake::dump_links();
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityDisable(CUpti_ActivityKind kind) {
  FAILS_IF_ASKED;
  if (const CUptiResult result = fake::answer_to_older_call()) return result;
  if (fake::record_size(kind, misbehaviour().version) == 0) return CUPTI_ERROR_INVALID_KIND;
  const std::lock_guard lock(state().lock);
  state().kinds.reset(static_cast<std::size_t>(kind));
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityEnableRuntimeApi(CUpti_CallbackId id, std::uint8_t enable) {
  FAILS_IF_ASKED;
  if (const CUptiResult result = fake::answer_to_older_call()) return result;
  const std::lock_guard lock(state().lock);
  state().hidden_apis[CUPTI_CB_DOMAIN_RUNTIME_API].set(id, enable == 0);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc request,
                                           CUpti_BuffersCallbackCompleteFunc complete) {
  FAILS_IF_ASKED;
  if (const CUptiResult result = fake::answer_to_older_call()) return result;
  const std::lock_guard lock(state().lock);
  state().request = request;
  state().complete = complete;
  fake::start_worker();
  return CUPTI_SUCCESS;
}

// With a null `*record` it returns the first record of a buffer.
CUptiResult cuptiActivityGetNextRecord(std::uint8_t* buffer, std::size_t valid,
                                       CUpti_Activity** record) {
  FAILS_IF_ASKED;
  if (const CUptiResult result = fake::answer_to_older_call()) return result;
  auto* next = buffer;
  if (*record != nullptr) {
    const std::size_t size = fake::record_size((*record)->kind, misbehaviour().version);
    if (size == 0) return CUPTI_ERROR_INVALID_KIND;
    next = reinterpret_cast<std::uint8_t*>(*record) + size;
  }
  if (next >= buffer + valid) return CUPTI_ERROR_MAX_LIMIT_REACHED;
  *record = reinterpret_cast<CUpti_Activity*>(next);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext, std::uint32_t, std::size_t* dropped) {
  FAILS_IF_ASKED;
  if (const CUptiResult result = fake::answer_to_older_call()) return result;
  static std::atomic<std::size_t> made_up = misbehaviour().drop ? 7 : 0;
  const std::lock_guard lock(state().lock);
  *dropped = state().dropped + made_up.exchange(0);
  state().dropped = 0;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityFlushAll(std::uint32_t flags) {
  FAILS_IF_ASKED;
  if (getpid() != state().pid) std::fputs("fake CUPTI: flush in a fork child\n", stderr);
  const bool forced = (flags & CUPTI_ACTIVITY_FLAG_FLUSH_FORCED) != 0;
  if (forced && misbehaviour().hang_flush == 0) pause();
  if (forced && misbehaviour().hang_flush > 0)
    sleep(static_cast<unsigned>(misbehaviour().hang_flush));
  fake::flush(forced);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityFlushPeriod(std::uint32_t milliseconds) {
  FAILS_IF_ASKED;
  if (const CUptiResult result = fake::answer_to_call_of_only_one(0)) return result;
  const std::lock_guard lock(state().lock);
  state().period = milliseconds;
  state().wake.notify_one();
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityRegisterTimestampCallback(CUpti_TimestampCallbackFunc timestamp) {
  FAILS_IF_ASKED;
  if (const CUptiResult result = fake::answer_to_older_call()) return result;
  if (!misbehaviour().no_clock) state().timestamp = timestamp;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiGetTimestamp(std::uint64_t* time) {
  FAILS_IF_ASKED;
  if (const CUptiResult result = fake::answer_to_older_call()) return result;
  // As if the thread lost its CPU during the first reading.
  static std::atomic<bool> is_first = true;
  if (misbehaviour().no_clock && is_first.exchange(false)) usleep(2000);
  *time = fake::now();
  return CUPTI_SUCCESS;
}

CUptiResult cuptiGetStreamIdEx(CUcontext, CUstream stream, std::uint8_t, std::uint32_t* id) {
  FAILS_IF_ASKED;
  constexpr std::uint32_t kNullStream = 7;
  const bool is_default =
      stream == nullptr || stream == CU_STREAM_LEGACY || stream == CU_STREAM_PER_THREAD;
  *id = is_default ? kNullStream
                   : static_cast<std::uint32_t>(reinterpret_cast<fake::Object*>(stream)->id);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiGetGraphId(CUgraph graph, std::uint32_t* id) {
  FAILS_IF_ASKED;
  *id = static_cast<std::uint32_t>(reinterpret_cast<fake::Object*>(graph)->id);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiGetGraphExecId(CUgraphExec exec, std::uint32_t* id) {
  FAILS_IF_ASKED;
  *id = static_cast<std::uint32_t>(reinterpret_cast<fake::Object*>(exec)->id);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiGetGraphNodeId(CUgraphNode node, std::uint64_t* id) {
  FAILS_IF_ASKED;
  *id = reinterpret_cast<fake::Object*>(node)->id;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiSetThreadIdType(CUpti_ActivityThreadIdType type) {
  FAILS_IF_ASKED;
  if (const CUptiResult result = fake::answer_to_older_call()) return result;
  state().thread_ids = type;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityConfigureUnifiedMemoryCounter(
    CUpti_ActivityUnifiedMemoryCounterConfig* config, std::uint32_t count) {
  FAILS_IF_ASKED;
  if (const CUptiResult result = fake::answer_to_call_of_only_one(1)) return result;
  if (state().devices == 0) return CUPTI_ERROR_NOT_INITIALIZED;
  const std::lock_guard lock(state().lock);
  for (std::uint32_t i = 0; i < count; ++i)
    state().counters.set(static_cast<std::size_t>(config[i].kind), config[i].enable != 0);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiGetContextId(CUcontext context, std::uint32_t* id) {
  FAILS_IF_ASKED;
  if (getpid() != state().pid) std::fputs("fake CUPTI: context id in a fork child\n", stderr);
  if (context == nullptr) return CUPTI_ERROR_INVALID_CONTEXT;
  *id = static_cast<std::uint32_t>(reinterpret_cast<fake::Object*>(context)->id);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityEnableHWTrace(std::uint8_t enable) {
  FAILS_IF_ASKED;
  if (const CUptiResult result = fake::answer_to_older_call()) return result;
  if (misbehaviour().no_hardware_trace) fake::report_missing_hardware_trace();
  const std::lock_guard lock(state().lock);
  if (enable != 0 && misbehaviour().is_blackwell && !misbehaviour().no_hardware_trace)
    state().has_hardware_trace = true;
  return CUPTI_SUCCESS;
}

}  // extern "C"
