#include "injection/cuda/clients/adapter.hpp"

#include <link.h>

#include <cstring>

#include "injection/core/process_state.hpp"
#include "injection/core/record/diagnostics.hpp"
#include "injection/core/thread_state.hpp"
#include "injection/cuda/call_words.hpp"
#include "injection/cuda/clients/host.hpp"
#include "injection/cuda/clients/record_layout.hpp"
#include "injection/cuda/clients/route.hpp"
#include "injection/cuda/cupti_api.hpp"
#include "injection/cuda/scoped.hpp"
#include "injection/cuda/state.hpp"

namespace prof::cuda::clients::adapter {

namespace {

// What CUPTI has of a client that calls functions without a subscriber. The subscriber lasts until
// the client calls cuptiFinalize: activities last beyond cuptiUnsubscribe, and need no
// cuptiSubscribe.
struct Adapted {
  std::atomic<CUpti_SubscriberHandle> handle;  // null: none
  Set<kKinds> kinds;  // enabled at any time: their records arrive after the kind was disabled
  Set<kKinds> open;   // enabled now
  std::atomic<CUpti_BuffersCallbackRequestFunc> request;
  std::atomic<CUpti_BuffersCallbackCompleteFunc> complete;
};
constinit Adapted g_adapted[kMaxClients]{};

constexpr CUptiResult kInvalid = CUPTI_ERROR_INVALID_PARAMETER;
constexpr CUptiResult kSuccess = CUPTI_SUCCESS;

Adapted& adapted(const Client& client) { return g_adapted[index_of(client)]; }

// While the object exists, calls that CUPTI makes inside of a call of prof are not recorded.
class InsideCupti {
 public:
  InsideCupti() : before_(core::t_state.in_cupti) { core::t_state.in_cupti = true; }
  ~InsideCupti() { core::t_state.in_cupti = before_; }
  InsideCupti(const InsideCupti&) = delete;

 private:
  bool before_;
};

// Calls a client's callback for a call, with a word that other subscribers do not use. The data
// belongs to CUPTI, and only its pointer to the word is changed meanwhile.
template <class CallBack>
void with_own_word(const Client& client, CUpti_CallbackDomain domain, CUpti_CallbackData& data,
                   const CallBack& call_back) {
  CallWord word({index_of(client) + 1, domain, data.correlationId}, data.callbackSite);
  std::uint64_t* const word_of_all = data.correlationData;
  data.correlationData = &*word;
  call_back(&data);
  data.correlationData = word_of_all;
}

void CUPTIAPI on_callback(void* userdata, CUpti_CallbackDomain domain, CUpti_CallbackId id,
                          const void* data) {
  const auto& client = *static_cast<const Client*>(userdata);
  if (core::t_state.in_cupti || !client.subscribed.load(std::memory_order_acquire)) return;
  const CUpti_CallbackFunc callback = client.callback.load(std::memory_order_relaxed);
  if (callback == nullptr) return;
  const auto call_back = [&](const void* own) {
    callback(client.userdata.load(std::memory_order_relaxed), domain, id, own);
  };
  if (domain != CUPTI_CB_DOMAIN_RUNTIME_API && domain != CUPTI_CB_DOMAIN_DRIVER_API)
    return call_back(data);
  with_own_word(client, domain, *static_cast<CUpti_CallbackData*>(const_cast<void*>(data)),
                call_back);
}

const char* name_of(const Client& client) {
  const auto* library = static_cast<const link_map*>(client.library.load());
  const char* path = library == nullptr ? nullptr : library->l_name;
  const char* slash = path == nullptr ? nullptr : std::strrchr(path, '/');
  return slash == nullptr ? "a library" : slash + 1;
}

// Returns the client's subscriber, which is made at its first call. Null if CUPTI refuses it.
CUpti_SubscriberHandle subscriber_of(Client& client) {
  std::atomic<CUpti_SubscriberHandle>& place = adapted(client).handle;
  CUpti_SubscriberHandle handle = place.load(std::memory_order_acquire);
  if (handle != nullptr) return handle;
  const Locked configuration(g_configuration);
  handle = place.load(std::memory_order_relaxed);
  if (handle != nullptr) return handle;
  const InsideCupti inside;
  if (subscribe_scoped(handle, on_callback, &client, name_of(client)) != kSuccess) return nullptr;
  place.store(handle, std::memory_order_release);
  return handle;
}

// The client that the handle was given to; null if it is none that is adapted.
Client* client_of_handle(CUpti_SubscriberHandle handle) {
  for (Client& client : g_clients)
    if (handle != nullptr && adapted(client).handle.load(std::memory_order_acquire) == handle)
      return &client;
  return nullptr;
}

// True if the handle is that of a client that has unsubscribed: CUPTI still knows it.
bool is_stale(CUpti_SubscriberHandle handle) {
  const Client* client = client_of_handle(handle);
  return client != nullptr && !client->subscribed.load(std::memory_order_acquire);
}

void disable_callbacks(CUpti_SubscriberHandle handle) {
  for (int domain = CUPTI_CB_DOMAIN_INVALID + 1; domain < CUPTI_CB_DOMAIN_SIZE; ++domain)
    g_real.cuptiEnableDomain(0, handle, static_cast<CUpti_CallbackDomain>(domain));
}

// --- Buffers. CUPTI's functions for them have no argument for the client, so each client has two.

bool wants(const Client& client, CUpti_ActivityKind kind) {
  return adapted(client).kinds.has(static_cast<unsigned>(kind));
}

// For the kind KERNEL CUPTI would run one kernel at a time, also for our tracer, so the client gets
// the records of CONCURRENT_KERNEL under its kind.
CUpti_ActivityKind source_of(CUpti_ActivityKind kind) {
  return kind == CUPTI_ACTIVITY_KIND_KERNEL ? CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL : kind;
}

ClientClock clock_of(Client& client) {
  const Locked state(client.state);
  return client.wishes.clock;
}

void read_own_clock(Client& client) {
  if (clock_of(client).function != nullptr)
    read_clock(client, adapted(client).handle.load(std::memory_order_acquire));
}

// Reads the clock of a client that records something. The clock's function of a client that has
// disabled everything may have been unloaded with its library.
void read_clock_if_open(Client& client) {
  if (!adapted(client).open.is_empty()) read_own_clock(client);
}

void note_opening(Client& client, CUpti_ActivityKind kind) {
  adapted(client).kinds.set(static_cast<unsigned>(kind), true);
  adapted(client).open.set(static_cast<unsigned>(kind), true);
}

// What happens before a client reads its records: its external ids become rows, kernels are
// renamed, and times are converted to its clock.
class Preparation {
 public:
  explicit Preparation(Client& client)
      : client_(client),
        renames_(wants(client, CUPTI_ACTIVITY_KIND_KERNEL) &&
                 !wants(client, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL)),
        clock_(clock_of(client)),
        time_(clock_) {}
  Preparation(const Preparation&) = delete;

  bool is_needed() const {
    return renames_ || clock_.function != nullptr ||
           wants(client_, CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION);
  }

  void prepare(CUpti_Activity& record) {
    if (record.kind == CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION) {
      const auto& id = reinterpret_cast<const CUpti_ActivityExternalCorrelation&>(record);
      write_external_id(id.correlationId, static_cast<std::uint8_t>(id.externalKind), id.externalId,
                        client_.name.load(std::memory_order_relaxed));
    }
    const RecordLayout* layout = clock_.function == nullptr ? nullptr : layout_of(record.kind);
    if (layout != nullptr) convert_times(&record, *layout, time_);
    if (renames_ && record.kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL)
      record.kind = CUPTI_ACTIVITY_KIND_KERNEL;
  }

 private:
  const Client& client_;
  const bool renames_;
  const ClientClock clock_;
  TimeConverter time_;
};

void prepare(Client& client, std::uint8_t* memory, std::size_t valid) {
  read_clock_if_open(client);
  Preparation preparation(client);
  if (!preparation.is_needed()) return;
  const CUpti_SubscriberHandle handle = adapted(client).handle.load(std::memory_order_acquire);
  CUpti_Activity* record = nullptr;
  CUpti_Activity* last = nullptr;
  // A record keeps its kind until CUPTI has found the next one by it.
  while (g_scoped_api.cuptiActivityGetNextRecord_v2(handle, memory, valid, &record) == kSuccess) {
    if (last != nullptr) preparation.prepare(*last);
    last = record;
  }
  if (last != nullptr) preparation.prepare(*last);
}

template <unsigned index>
void on_request(std::uint8_t** memory, std::size_t* size, std::size_t* records, void*) {
  g_adapted[index].request.load(std::memory_order_acquire)(memory, size, records);
}

template <unsigned index>
void on_complete(std::uint8_t* memory, std::size_t size, std::size_t valid, void*) {
  prepare(g_clients[index], memory, valid);
  g_adapted[index].complete.load(std::memory_order_acquire)(nullptr, 0, memory, size, valid);
}

struct BufferFunctions {
  v2::Request* request;
  v2::Complete* complete;
};
#define OF(index) \
  { on_request<index>, on_complete<index> }
constexpr BufferFunctions kBufferFunctions[] = {OF(0), OF(1), OF(2), OF(3),
                                                OF(4), OF(5), OF(6), OF(7)};
#undef OF
static_assert(sizeof kBufferFunctions / sizeof kBufferFunctions[0] == kMaxClients);

CUpti_ActivityAttribute attribute_of(Switch which) {
  switch (which) {
    case Switch::kLatencyTimestamps:
      return v2::kLatencyAttribute;
    case Switch::kLaunchAttributes:
      return v2::kLaunchAttribute;
    case Switch::kDeviceGraph:
      return v2::kDeviceGraphAttribute;
    case Switch::kHardwareTrace:
      return v2::kHardwareTraceAttribute;
    case Switch::kAllocationSource:
      return v2::kAllocationSourceAttribute;
    case Switch::kAllSyncRecords:
      return v2::kAllSyncAttribute;
    case Switch::kEventTimestamps:
    case Switch::kCount:
      break;
  }
  return v2::kEventTimesAttribute;
}

// True for attributes that belong to the functions with a subscriber.
bool is_of_subscriber(CUpti_ActivityAttribute attribute) {
  const auto number = static_cast<unsigned>(attribute);
  return number >= v2::kFirstAttribute && number < kAttributes;
}

// Finds a subscriber for a call, or returns CUPTI's answer to one subscriber too many.
#define PROF_SUBSCRIBER_OR_RETURN(handle)                      \
  const CUpti_SubscriberHandle handle = subscriber_of(client); \
  if (handle == nullptr) return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED

}  // namespace

CUptiResult subscribe(Client& client, CUpti_SubscriberHandle* handle, CUpti_CallbackFunc callback,
                      void* userdata) {
  if (handle == nullptr) return kInvalid;
  PROF_SUBSCRIBER_OR_RETURN(own);
  const Locked configuration(g_configuration);
  if (client.subscribed.load(std::memory_order_relaxed))
    return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
  client.callback.store(callback, std::memory_order_relaxed);
  client.userdata.store(userdata, std::memory_order_relaxed);
  client.subscribed.store(true, std::memory_order_release);
  *handle = own;
  return kSuccess;
}

// A client that gives the first version's parameters goes on with any functions: its handle is one
// of CUPTI. Another one gets exactly what it asks for, but cannot exclude others.
CUptiResult subscribe_by_name(Client& client, CUpti_SubscriberHandle* handle,
                              CUpti_CallbackFunc callback, void* userdata,
                              const CUpti_SubscriberParams* parameters) {
  constexpr std::size_t kMaximum = 256;  // bytes of parameters of newer versions
  if (parameters == nullptr || parameters->structSize <= v2::kFirstParamsSize)
    return adapter::subscribe(client, handle, callback, userdata);
  if (parameters->structSize > kMaximum) return CUPTI_ERROR_NOT_SUPPORTED;
  alignas(v2::SubscriberParams) std::uint8_t copy[kMaximum]{};
  std::memcpy(copy, parameters, parameters->structSize);
  reinterpret_cast<v2::SubscriberParams*>(copy)->allows_others = 1;
  return g_real.cuptiSubscribe_v2(handle, callback, userdata,
                                  reinterpret_cast<CUpti_SubscriberParams*>(copy));
}

CUptiResult unsubscribe(CUpti_SubscriberHandle handle) {
  if (is_stale(handle)) return kInvalid;
  Client* client = client_of_handle(handle);
  if (client == nullptr) return g_real.cuptiUnsubscribe(handle);
  const Locked configuration(g_configuration);
  client->subscribed.store(false, std::memory_order_release);
  disable_callbacks(handle);
  return kSuccess;
}

CUptiResult enable_callback(bool on, CUpti_SubscriberHandle handle, CUpti_CallbackDomain domain,
                            CUpti_CallbackId id) {
  return is_stale(handle) ? kInvalid : g_real.cuptiEnableCallback(on ? 1 : 0, handle, domain, id);
}

CUptiResult enable_domain(bool on, CUpti_SubscriberHandle handle, CUpti_CallbackDomain domain) {
  return is_stale(handle) ? kInvalid : g_real.cuptiEnableDomain(on ? 1 : 0, handle, domain);
}

CUptiResult enable_all_domains(bool on, CUpti_SubscriberHandle handle) {
  static constinit OwnFunction real{};
  auto* const function =
      reinterpret_cast<decltype(&cuptiEnableAllDomains)>(real.get("cuptiEnableAllDomains"));
  if (function == nullptr) return CUPTI_ERROR_NOT_SUPPORTED;
  return is_stale(handle) ? kInvalid : function(on ? 1 : 0, handle);
}

CUptiResult get_callback_state(std::uint32_t* on, CUpti_SubscriberHandle handle,
                               CUpti_CallbackDomain domain, CUpti_CallbackId id) {
  static constinit OwnFunction real{};
  auto* const function =
      reinterpret_cast<decltype(&cuptiGetCallbackState)>(real.get("cuptiGetCallbackState"));
  if (function == nullptr) return CUPTI_ERROR_NOT_SUPPORTED;
  return is_stale(handle) ? kInvalid : function(on, handle, domain, id);
}

// cuptiFinalize would end CUPTI for everybody.
CUptiResult detach(Client& client) {
  Adapted& own = adapted(client);
  const CUpti_SubscriberHandle handle = own.handle.load(std::memory_order_acquire);
  if (handle == nullptr) return kSuccess;
  adapter::set_flush_period(client, 0);
  for (unsigned kind = 1; kind < kKinds; ++kind)
    if (own.kinds.has(kind)) adapter::disable_kind(client, static_cast<CUpti_ActivityKind>(kind));
  adapter::flush(client, 0);
  const Locked configuration(g_configuration);
  client.subscribed.store(false, std::memory_order_release);
  own.handle.store(nullptr, std::memory_order_release);
  {
    const Locked state(client.state);
    client.wishes = {};
  }
  const InsideCupti inside;
  return g_real.cuptiUnsubscribe(handle);
}

CUptiResult enable_kind(Client& client, CUpti_ActivityKind kind, bool dump) {
  PROF_SUBSCRIBER_OR_RETURN(handle);
  note_kind(&client, kind);
  read_own_clock(client);
  const auto enable =
      dump ? g_scoped_api.cuptiActivityEnableAndDump_v2 : g_scoped_api.cuptiActivityEnable_v2;
  const CUptiResult result = enable(handle, source_of(kind), nullptr);
  if (result == kSuccess) note_opening(client, kind);
  return result;
}

CUptiResult disable_kind(Client& client, CUpti_ActivityKind kind) {
  const CUpti_SubscriberHandle handle = adapted(client).handle.load(std::memory_order_acquire);
  if (handle == nullptr) return kSuccess;
  // The reading is for the records that are still to come: later the clock is not read any more.
  read_clock_if_open(client);
  adapted(client).open.set(static_cast<unsigned>(kind), false);
  return g_scoped_api.cuptiActivityDisable_v2(handle, source_of(kind), nullptr);
}

CUptiResult enable_api(Client& client, CUpti_ActivityKind kind, CUpti_CallbackId id, bool on) {
  PROF_SUBSCRIBER_OR_RETURN(handle);
  read_own_clock(client);
  const auto enable = kind == CUPTI_ACTIVITY_KIND_RUNTIME
                          ? g_scoped_api.cuptiActivityEnableRuntimeApi_v2
                          : g_scoped_api.cuptiActivityEnableDriverApi_v2;
  const CUptiResult result = enable(handle, id, on ? 1 : 0);
  if (on && result == kSuccess) note_opening(client, kind);
  return result;
}

CUptiResult register_callbacks(Client& client, CUpti_BuffersCallbackRequestFunc request,
                               CUpti_BuffersCallbackCompleteFunc complete) {
  if (request == nullptr || complete == nullptr) return kInvalid;
  PROF_SUBSCRIBER_OR_RETURN(handle);
  adapted(client).request.store(request, std::memory_order_release);
  adapted(client).complete.store(complete, std::memory_order_release);
  const BufferFunctions& functions = kBufferFunctions[index_of(client)];
  return g_scoped_api.cuptiActivityRegisterCallbacks_v2(handle, functions.request,
                                                        functions.complete);
}

// Flushes all subscribers: CUPTI has one function for them.
CUptiResult flush(Client&, std::uint32_t flags) {
  const InsideCupti inside;
  return g_real.cuptiActivityFlushAll(flags);
}

CUptiResult take_dropped(Client& client, std::size_t* dropped) {
  PROF_SUBSCRIBER_OR_RETURN(handle);
  return g_scoped_api.cuptiActivityGetNumDroppedRecords_v2(handle, nullptr, 0, dropped);
}

CUptiResult next_record(Client& client, std::uint8_t* memory, std::size_t valid,
                        CUpti_Activity** record) {
  PROF_SUBSCRIBER_OR_RETURN(handle);
  return g_scoped_api.cuptiActivityGetNextRecord_v2(handle, memory, valid, record);
}

CUptiResult push_external_id(Client& client, CUpti_ExternalCorrelationKind kind, std::uint64_t id) {
  PROF_SUBSCRIBER_OR_RETURN(handle);
  core::t_state.calls_cuda = true;  // the thread will make calls
  return g_scoped_api.cuptiActivityPushExternalCorrelationId_v2(handle, kind, id);
}

CUptiResult pop_external_id(Client& client, CUpti_ExternalCorrelationKind kind,
                            std::uint64_t* last) {
  PROF_SUBSCRIBER_OR_RETURN(handle);
  return g_scoped_api.cuptiActivityPopExternalCorrelationId_v2(handle, kind, last);
}

CUptiResult change_clock(Client& client, CUpti_TimestampCallbackFunc function) {
  if (function == nullptr) return kInvalid;
  PROF_SUBSCRIBER_OR_RETURN(handle);
  return clients::change_clock(client, function, handle);
}

CUptiResult get_time(Client& client, std::uint64_t* time) {
  if (clock_of(client).function != nullptr) return clients::get_time(client, time);
  PROF_SUBSCRIBER_OR_RETURN(handle);
  return g_scoped_api.cuptiGetTimestamp_v2(handle, time);
}

CUptiResult set_attribute(Client& client, CUpti_ActivityAttribute attribute, std::size_t* size,
                          void* value) {
  if (is_of_subscriber(attribute)) return CUPTI_ERROR_NOT_SUPPORTED;
  PROF_SUBSCRIBER_OR_RETURN(handle);
  return g_scoped_api.cuptiActivitySetAttribute_v2(handle, attribute, size, value);
}

CUptiResult get_attribute(Client& client, CUpti_ActivityAttribute attribute, std::size_t* size,
                          void* value) {
  if (is_of_subscriber(attribute)) return CUPTI_ERROR_NOT_SUPPORTED;
  PROF_SUBSCRIBER_OR_RETURN(handle);
  return g_scoped_api.cuptiActivityGetAttribute_v2(handle, attribute, size, value);
}

CUptiResult set_flush_period(Client& client, std::uint32_t milliseconds) {
  static_assert(kMaxClients < kFlushUsers);
  return set_flush_timer(index_of(client) + 1, milliseconds);
}

CUptiResult set_switch(Client& client, Switch which, bool on) {
  PROF_SUBSCRIBER_OR_RETURN(handle);
  // All subscribers share the hardware trace.
  if (which == Switch::kHardwareTrace && !on) return kSuccess;
  return set_scoped(handle, attribute_of(which), static_cast<std::uint8_t>(on ? 1 : 0));
}

CUptiResult set_thread_ids(Client& client, CUpti_ActivityThreadIdType type) {
  PROF_SUBSCRIBER_OR_RETURN(handle);
  return set_scoped(handle, v2::kThreadIdAttribute, type);
}

CUptiResult get_thread_ids(Client& client, CUpti_ActivityThreadIdType* type) {
  PROF_SUBSCRIBER_OR_RETURN(handle);
  std::size_t size = sizeof *type;
  return g_scoped_api.cuptiActivityGetAttribute_v2(handle, v2::kThreadIdAttribute, &size, type);
}

void note_kind(Client* client, CUpti_ActivityKind kind) {
  if (client == nullptr || are_launches_made() ||
      (core::g_process.config.cuda.flags & wire::kCudaGraphNodes) != 0 ||
      source_of(kind) != CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL)
    return;
  const Locked configuration(g_configuration);
  if (client->lacks_nodes) return;
  client->lacks_nodes = true;
  core::report_each(wire::DiagnosticCode::kCuptiGraphsWhole,
                    client->name.load(std::memory_order_relaxed));
}

}  // namespace prof::cuda::clients::adapter
