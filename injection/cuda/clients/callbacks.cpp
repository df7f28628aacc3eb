// Callbacks. CUPTI has one subscriber, which is prof. A callback is enabled in CUPTI as long as our
// tracer or a client wants it, and each of them gets the callbacks that it wants.
#include "injection/core/foreign_threads.hpp"
#include "injection/core/layout.hpp"
#include "injection/core/lazy_array.hpp"
#include "injection/core/thread_id.hpp"
#include "injection/cuda/clients/client.hpp"
#include "injection/cuda/clients/host.hpp"
#include "injection/cuda/cupti_v2.hpp"
#include "injection/cuda/state.hpp"

namespace prof::cuda::clients {

namespace {

constinit Set<kIds> g_own_callbacks[kDomains]{};      // enabled by our tracer
constinit Set<kIds> g_enabled_callbacks[kDomains]{};  // enabled in CUPTI
// CUPTI's subscription after our tracer has ended, if clients need it.
constinit CUpti_SubscriberHandle g_handle = nullptr;

// The words of the subscribers of a call. CUPTI gives a call one word, which lasts from its entry
// to its exit. Here our tracer and each client get a word; CUPTI's word has the address of these.
struct Words {
  std::uint64_t own;
  std::uint64_t of_client[kMaxClients];
};
constexpr std::uint32_t kCalls = 4096;  // in progress at the same time
constinit core::LazyArray<Words, kCalls> g_words;
// The states are separate, so that are_calls_in_progress() reads little memory.
PROF_SELDOM constinit std::atomic<CallState> g_states[kCalls]{};

std::atomic<CallState>& state_of(const Words& words) {
  return g_states[&words - g_words.get_if_used()];
}

Words* take_words() {
  const std::uint32_t start = core::t_state.tid * 16;
  Words* all = g_words.get();
  for (std::uint32_t i = 0; all != nullptr && i < kCalls; ++i) {
    const std::uint32_t place = (start + i) % kCalls;
    CallState state = g_states[place].load(std::memory_order_relaxed);
    if (state != CallState::kFree ||
        !g_states[place].compare_exchange_strong(state, CallState::kCounted))
      continue;
    Words& words = all[place];
    words.own = 0;
    for (std::uint64_t& word : words.of_client) word = 0;
    return &words;
  }
  return nullptr;
}

bool is_by_record(const Words* words) {
  return words != nullptr &&
         state_of(*words).load(std::memory_order_relaxed) == CallState::kByRecord;
}

// Returns null if the call began before there were clients: then its word belongs to our tracer.
Words* words_of(std::uint64_t word) {
  Words* all = g_words.get_if_used();
  const auto begin = reinterpret_cast<std::uintptr_t>(all);
  const auto end = reinterpret_cast<std::uintptr_t>(all + (all == nullptr ? 0 : kCalls));
  return word >= begin && word < end ? reinterpret_cast<Words*>(word) : nullptr;
}

// The driver call that next_correlation() makes.
constexpr CUpti_CallbackDomain kMarkDomain = CUPTI_CB_DOMAIN_DRIVER_API;
constexpr CUpti_CallbackId kMark = CUPTI_DRIVER_TRACE_CBID_cuDriverGetVersion;
constexpr std::uint32_t kMarks = 64;
using GetVersion = CUresult(int*);
constinit std::atomic<GetVersion*> g_get_version{nullptr};
constinit std::atomic<std::uint32_t> g_marker{0};  // the thread that makes the call
constinit std::atomic<std::uint32_t> g_mark{0};
constinit std::atomic<std::uint32_t> g_marks[kMarks]{};  // correlation ids of the last such calls
constinit std::uint32_t g_mark_count = 0;
constinit std::atomic<std::uint32_t> g_latest{0};  // the highest id of all calls seen

void note_correlation(std::uint32_t id) {
  std::uint32_t latest = g_latest.load(std::memory_order_relaxed);
  while (id > latest && !g_latest.compare_exchange_weak(latest, id, std::memory_order_relaxed)) {
  }
}

bool is_api_domain(CUpti_CallbackDomain domain) {
  return domain == CUPTI_CB_DOMAIN_RUNTIME_API || domain == CUPTI_CB_DOMAIN_DRIVER_API;
}

bool is_wanted(CUpti_CallbackDomain domain, CUpti_CallbackId id) {
  if (domain == kMarkDomain && id == kMark && are_present()) return true;
  bool wanted =
      g_own_callbacks[domain].has(id) && !(is_api_domain(domain) && replaces_callback(domain, id));
  for_each([&](const Client& client) {
    wanted = wanted || (client.subscribed.load(std::memory_order_relaxed) &&
                        client.callbacks[domain].has(id));
  });
  return wanted;
}

CUptiResult update(CUpti_CallbackDomain domain, CUpti_CallbackId id) {
  const bool wanted = is_wanted(domain, id);
  if (wanted == g_enabled_callbacks[domain].has(id)) return CUPTI_SUCCESS;
  const CUptiResult result =
      g_real.cuptiEnableCallback(wanted ? 1 : 0, g_state.subscriber, domain, id);
  if (result == CUPTI_SUCCESS) g_enabled_callbacks[domain].set(id, wanted);
  return result;
}

bool is_valid(CUpti_CallbackDomain domain) {
  return domain > CUPTI_CB_DOMAIN_INVALID && static_cast<unsigned>(domain) < kDomains;
}

CUptiResult own_enable_callback(std::uint32_t on, CUpti_SubscriberHandle,
                                CUpti_CallbackDomain domain, CUpti_CallbackId id) {
  if (!is_valid(domain) || id >= kIds) return CUPTI_ERROR_INVALID_PARAMETER;
  const Locked configuration(g_configuration);
  g_own_callbacks[domain].set(id, on != 0);
  const CUptiResult result = update(domain, id);
  if (result != CUPTI_SUCCESS) g_own_callbacks[domain].set(id, false);
  return result;
}

// The process has one subscription, which our tracer makes. When our tracer ends the subscription,
// it is kept for the clients.
CUptiResult own_subscribe(CUpti_SubscriberHandle* handle, CUpti_CallbackFunc callback,
                          void* userdata) {
  if (g_handle == nullptr) return g_real.cuptiSubscribe(handle, callback, userdata);
  *handle = g_handle;
  return CUPTI_SUCCESS;
}

CUptiResult own_subscribe_by_name(CUpti_SubscriberHandle* handle, CUpti_CallbackFunc callback,
                                  void* userdata, CUpti_SubscriberParams* parameters) {
  if (g_handle == nullptr) return g_real.cuptiSubscribe_v2(handle, callback, userdata, parameters);
  *handle = g_handle;
  return CUPTI_SUCCESS;
}

CUptiResult own_unsubscribe(CUpti_SubscriberHandle handle) {
  const Locked configuration(g_configuration);
  for (auto& domain : g_own_callbacks) domain.fill(false);
  forget_call_records();
  if (are_present()) {
    g_handle = handle;
    for (unsigned domain = 1; domain < kDomains; ++domain)
      for (CUpti_CallbackId id = 1; id < kIds; ++id)
        update(static_cast<CUpti_CallbackDomain>(domain), id);
    return CUPTI_SUCCESS;
  }
  stop_serving();
  for (auto& domain : g_enabled_callbacks) domain.fill(false);
  return g_real.cuptiUnsubscribe(handle);
}

// Returns null if the handle is not one of prof, or if its client has unsubscribed.
Client* client_of_handle(CUpti_SubscriberHandle handle) {
  for (Client& client : g_clients)
    if (reinterpret_cast<Client*>(handle) == &client)
      return client.subscribed.load(std::memory_order_acquire) ? &client : nullptr;
  return nullptr;
}

void call_client(const Client& client, CUpti_CallbackDomain domain, CUpti_CallbackId id,
                 const void* data) {
  if (!client.subscribed.load(std::memory_order_acquire) || !client.callbacks[domain].has(id))
    return;
  const CUpti_CallbackFunc callback = client.callback.load(std::memory_order_relaxed);
  if (callback != nullptr)
    callback(client.userdata.load(std::memory_order_relaxed), domain, id, data);
}

void call_own(CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data) {
  if (g_own_callbacks[domain].has(id)) trace_callback(domain, id, data);
}

void call_clients(CUpti_CallbackDomain domain, CUpti_CallbackId id, CUpti_CallbackData& data,
                  Words* words) {
  for_each([&](const Client& client) {
    std::uint64_t none = 0;
    data.correlationData = words == nullptr ? &none : &words->of_client[index_of(client)];
    call_client(client, domain, id, &data);
  });
}

// Calls our tracer closest to the call, so its times contain no client's callback. The data belongs
// to CUPTI, and only its pointer to the word is changed during a callback: a newer CUPTI may have
// more members than prof knows.
void dispatch_call(CUpti_CallbackDomain domain, CUpti_CallbackId id, CUpti_CallbackData& data) {
  std::uint64_t* const word = data.correlationData;
  if (data.callbackSite == CUPTI_API_ENTER) {
    Words* words = take_words();
    if (words != nullptr) *word = reinterpret_cast<std::uint64_t>(words);
    call_clients(domain, id, data, words);
    data.correlationData = words == nullptr ? word : &words->own;
    if (words != nullptr) enter(domain, id, data.correlationId, state_of(*words));
    if (!is_by_record(words)) call_own(domain, id, &data);
  } else {
    Words* words = words_of(*word);
    data.correlationData = words == nullptr ? word : &words->own;
    if (!is_by_record(words)) call_own(domain, id, &data);
    call_clients(domain, id, data, words);
    if (words != nullptr) {
      *word = 0;
      state_of(*words).store(CallState::kFree, std::memory_order_release);
    }
    follow_call_records();
  }
  data.correlationData = word;
}

bool notes_mark(CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data) {
  if (domain != kMarkDomain || id != kMark) return false;
  if (g_marker.load(std::memory_order_relaxed) != core::thread_id()) return false;
  g_mark.store(static_cast<const CUpti_CallbackData*>(data)->correlationId,
               std::memory_order_relaxed);
  return true;
}

}  // namespace

bool are_calls_in_progress() {
  for (const auto& state : g_states)
    if (state.load(std::memory_order_seq_cst) == CallState::kCounted) return true;
  return false;
}

CUptiResult update_callback(CUpti_CallbackDomain domain, CUpti_CallbackId id) {
  return update(domain, id);
}

void share_callbacks() {
  g_cupti.cuptiEnableCallback = own_enable_callback;
  g_cupti.cuptiSubscribe = own_subscribe;
  if (g_cupti.cuptiSubscribe_v2 != nullptr) g_cupti.cuptiSubscribe_v2 = own_subscribe_by_name;
  if (g_cupti.cuptiUnsubscribe != nullptr) g_cupti.cuptiUnsubscribe = own_unsubscribe;
}

void dispatch(CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data) {
  if (!is_valid(domain)) return;
  // Calls that CUPTI makes inside of a call by prof, or for a flush of a client, belong to no
  // client.
  if (core::t_state.in_cupti) {
    notes_mark(domain, id, data);
    return;
  }
  if (is_api_domain(domain)) {
    auto& call = *static_cast<CUpti_CallbackData*>(const_cast<void*>(data));
    note_thread();
    note_correlation(call.correlationId);
    for_each(feed);
    dispatch_call(domain, id, call);
    return;
  }
  call_own(domain, id, data);
  for_each([&](const Client& client) { call_client(client, domain, id, data); });
}

void find_mark() {
  if (g_get_version.load(std::memory_order_relaxed) == nullptr)
    g_get_version.store(PROF_DRIVER_FUNCTION(cuDriverGetVersion), std::memory_order_relaxed);
}

std::uint32_t next_correlation() {
  GetVersion* const get = g_get_version.load(std::memory_order_relaxed);
  g_mark.store(0, std::memory_order_relaxed);
  if (get != nullptr && update(kMarkDomain, kMark) == CUPTI_SUCCESS) {
    core::ThreadState& t = core::t_state;
    const bool inside = t.in_cupti;
    t.in_cupti = true;
    g_marker.store(core::thread_id(), std::memory_order_relaxed);
    int version = 0;
    get(&version);
    g_marker.store(0, std::memory_order_relaxed);
    t.in_cupti = inside;
  }
  const std::uint32_t mark = g_mark.load(std::memory_order_relaxed);
  if (mark == 0) return g_latest.load(std::memory_order_relaxed);
  g_marks[g_mark_count++ % kMarks].store(mark, std::memory_order_relaxed);
  note_correlation(mark);
  return mark;
}

bool is_own_call(const CUpti_ActivityAPI& call) {
  if (call.kind != CUPTI_ACTIVITY_KIND_DRIVER || call.cbid != kMark) return false;
  for (const auto& mark : g_marks)
    if (mark.load(std::memory_order_relaxed) == call.correlationId) return true;
  return false;
}

CUptiResult subscribe(Client& client, CUpti_SubscriberHandle* handle, CUpti_CallbackFunc callback,
                      void* userdata) {
  if (handle == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
  const Locked configuration(g_configuration);
  if (client.subscribed.load(std::memory_order_relaxed))
    return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
  for (auto& domain : client.callbacks) domain.fill(false);
  client.callback.store(callback, std::memory_order_relaxed);
  client.userdata.store(userdata, std::memory_order_relaxed);
  client.subscribed.store(true, std::memory_order_release);
  *handle = reinterpret_cast<CUpti_SubscriberHandle>(&client);
  return CUPTI_SUCCESS;
}

CUptiResult subscribe_by_name(Client& client, CUpti_SubscriberHandle* handle,
                              CUpti_CallbackFunc callback, void* userdata,
                              const CUpti_SubscriberParams* parameters) {
  const bool is_served = parameters == nullptr ? g_real.version < v2::kSubscribers
                                               : parameters->structSize <= v2::kFirstParamsSize;
  if (g_real.cuptiSubscribe_v2 == nullptr || !is_served) return CUPTI_ERROR_NOT_SUPPORTED;
  return subscribe(client, handle, callback, userdata);
}

CUptiResult unsubscribe(CUpti_SubscriberHandle handle) {
  Client* client = client_of_handle(handle);
  if (client == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
  enable_all_domains(false, handle);
  const Locked configuration(g_configuration);
  client->subscribed.store(false, std::memory_order_release);
  return CUPTI_SUCCESS;
}

CUptiResult enable_callback(bool on, CUpti_SubscriberHandle handle, CUpti_CallbackDomain domain,
                            CUpti_CallbackId id) {
  Client* client = client_of_handle(handle);
  if (client == nullptr || !is_valid(domain) || id >= kIds) return CUPTI_ERROR_INVALID_PARAMETER;
  const Locked configuration(g_configuration);
  client->callbacks[domain].set(id, on);
  const CUptiResult result = update(domain, id);
  if (result != CUPTI_SUCCESS) client->callbacks[domain].set(id, false);
  return result;
}

// Enables a domain as a whole; disables its callbacks one by one, so that the callbacks of others
// continue without a gap.
CUptiResult enable_domain(bool on, CUpti_SubscriberHandle handle, CUpti_CallbackDomain domain) {
  Client* client = client_of_handle(handle);
  if (client == nullptr || !is_valid(domain)) return CUPTI_ERROR_INVALID_PARAMETER;
  const Locked configuration(g_configuration);
  if (on) {
    const CUptiResult result = g_real.cuptiEnableDomain(1, g_state.subscriber, domain);
    if (result != CUPTI_SUCCESS) return result;
    client->callbacks[domain].fill(true);
    g_enabled_callbacks[domain].fill(true);
    return CUPTI_SUCCESS;
  }
  client->callbacks[domain].fill(false);
  for (CUpti_CallbackId id = 1; id < kIds; ++id) {
    // The number belongs to no callback.
    if (update(domain, id) != CUPTI_SUCCESS) g_enabled_callbacks[domain].set(id, false);
  }
  return CUPTI_SUCCESS;
}

CUptiResult enable_all_domains(bool on, CUpti_SubscriberHandle handle) {
  if (client_of_handle(handle) == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
  for (int domain = CUPTI_CB_DOMAIN_INVALID + 1; domain < CUPTI_CB_DOMAIN_SIZE; ++domain)
    enable_domain(on, handle, static_cast<CUpti_CallbackDomain>(domain));
  return CUPTI_SUCCESS;
}

CUptiResult get_callback_state(std::uint32_t* on, CUpti_SubscriberHandle handle,
                               CUpti_CallbackDomain domain, CUpti_CallbackId id) {
  const Client* client = client_of_handle(handle);
  if (client == nullptr || on == nullptr || !is_valid(domain) || id >= kIds)
    return CUPTI_ERROR_INVALID_PARAMETER;
  *on = client->callbacks[domain].has(id) ? 1 : 0;
  return CUPTI_SUCCESS;
}

}  // namespace prof::cuda::clients
