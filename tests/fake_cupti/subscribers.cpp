// The subscribers of cuptiSubscribe_v2 with the parameters of CUPTI 13.3 and later. Each has its
// kinds, callbacks and buffers. The functions answer what the documents of CUPTI and its messages
// say. Like the real ones they crash if a handle is not CUPTI's. CUDA's headers may declare them
// with other types, so they have other names here.
#include <cstdio>
#include <cstdlib>
#include <list>
#include <string>
#include <utility>

#include "fake_state.hpp"
#include "record_sizes.hpp"

namespace fake {

namespace {

using prof::cuda::v2::SubscriberParams;
using Request = void(std::uint8_t**, std::size_t*, std::size_t*, void*);
using Complete = void(std::uint8_t*, std::size_t, std::size_t, void*);

constexpr std::uint32_t kFirstVersion = 130301;
constexpr auto kTaken = CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;

struct Subscriber {
  std::string name;
  CUpti_CallbackFunc callback = nullptr;  // null: it has gone
  void* userdata = nullptr;
  std::bitset<kMaxIds> callbacks[CUPTI_CB_DOMAIN_SIZE];
  std::bitset<64> kinds;
  Request* request = nullptr;
  Complete* complete = nullptr;
  ActivityBuffer buffer{};  // no memory: none
  std::size_t dropped = 0;
};

// Never destroyed, like State. Entries are never removed.
struct All {
  std::mutex lock;
  std::list<Subscriber> subscribers;
  Subscriber of_older;             // of cuptiSubscribe, which may use the functions here, too
  std::atomic<int> present = 0;    // subscribers that have not gone
  int allows = -1;                 // -1: nobody has decided yet
  std::atomic<bool> used = false;  // activity calls with a subscriber were made
};
All& all() {
  static All& made = *new All;
  return made;
}

bool is_supported() { return misbehaviour().version >= kFirstVersion; }

Subscriber& of(CUpti_SubscriberHandle handle) {
  if (reinterpret_cast<State*>(handle) == &state()) return all().of_older;
  for (Subscriber& known : all().subscribers)
    if (reinterpret_cast<Subscriber*>(handle) == &known) return known;
  std::fputs("fake CUPTI: a handle of somebody else\n", stderr);
  std::abort();
}

template <class Function>
void for_each_subscriber(Function function) {
  function(all().of_older);
  for (Subscriber& one : all().subscribers) function(one);
}

ActivityBuffer take_buffer(Subscriber& one) { return std::exchange(one.buffer, ActivityBuffer{}); }

void hand_over(const Subscriber& one, const ActivityBuffer& buffer) {
  if (buffer.memory != nullptr) one.complete(buffer.memory, buffer.size, buffer.valid, nullptr);
}

// Called with the lock held. Returns a full buffer.
ActivityBuffer put(Subscriber& one, const void* bytes, std::size_t size) {
  ActivityBuffer full{};
  if (one.buffer.memory != nullptr && one.buffer.valid + size > one.buffer.size)
    full = take_buffer(one);
  if (one.buffer.memory == nullptr) {
    std::size_t records = 0;
    one.request(&one.buffer.memory, &one.buffer.size, &records, nullptr);
  }
  if (one.buffer.memory == nullptr || one.buffer.size < size) {
    ++one.dropped;
    return full;
  }
  std::memcpy(one.buffer.memory + one.buffer.valid, bytes, size);
  one.buffer.valid += size;
  return full;
}

}  // namespace

bool record_for_subscribers(const void* bytes, std::size_t size) {
  if (!all().used) return false;
  const auto kind = static_cast<std::size_t>(static_cast<const CUpti_Activity*>(bytes)->kind);
  bool taken = false;
  for_each_subscriber([&](Subscriber& one) {
    ActivityBuffer full{};
    {
      const std::lock_guard lock(all().lock);
      if (one.complete == nullptr || kind >= one.kinds.size() || !one.kinds.test(kind)) return;
      full = put(one, bytes, size);
      taken = true;
    }
    hand_over(one, full);
  });
  return taken;
}

void hand_over_to_subscribers() {
  if (!all().used) return;
  for_each_subscriber([](Subscriber& one) {
    ActivityBuffer buffer{};
    {
      const std::lock_guard lock(all().lock);
      buffer = take_buffer(one);
    }
    hand_over(one, buffer);
  });
}

bool is_enabled_for_subscribers(CUpti_ActivityKind kind) {
  bool enabled = false;
  if (!all().used) return enabled;
  const std::lock_guard lock(all().lock);
  for_each_subscriber([&](const Subscriber& one) {
    enabled = enabled || one.kinds.test(static_cast<unsigned>(kind));
  });
  return enabled;
}

bool do_subscribers_listen(CUpti_CallbackDomain domain, CUpti_CallbackId id) {
  if (all().present == 0 || id >= kMaxIds) return false;
  const std::lock_guard lock(all().lock);
  for (const Subscriber& one : all().subscribers)
    if (one.callback != nullptr && one.callbacks[domain].test(id)) return true;
  return false;
}

void call_subscribers(CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data) {
  if (all().present == 0 || id >= kMaxIds) return;
  for (const Subscriber& one : all().subscribers)
    if (one.callback != nullptr && one.callbacks[domain].test(id))
      one.callback(one.userdata, domain, id, data);
}

// "Cannot mix global-scope and subscriber-scope activity APIs."
CUptiResult answer_to_older_call() {
  return all().used || all().present != 0 ? CUPTI_ERROR_NOT_COMPATIBLE : CUPTI_SUCCESS;
}

CUptiResult answer_to_older_subscription() { return all().present != 0 ? kTaken : CUPTI_SUCCESS; }

void reject_handle() {
  if (!misbehaviour().strict) return;
  std::fputs("fake CUPTI: a handle of somebody else\n", stderr);
  std::abort();
}

bool set_callback_of_subscriber(CUpti_SubscriberHandle handle, CUpti_CallbackDomain domain,
                                CUpti_CallbackId id, bool on) {
  const std::lock_guard lock(all().lock);
  for (Subscriber& one : all().subscribers) {
    if (reinterpret_cast<Subscriber*>(handle) != &one || one.callback == nullptr) continue;
    one.callbacks[domain].set(id, on);
    return true;
  }
  return false;
}

bool end_subscriber(CUpti_SubscriberHandle handle) {
  const std::lock_guard lock(all().lock);
  for (Subscriber& one : all().subscribers) {
    if (reinterpret_cast<Subscriber*>(handle) != &one || one.callback == nullptr) continue;
    one.callback = nullptr;
    one.kinds.reset();
    --all().present;
    return true;
  }
  return false;
}

}  // namespace fake

using namespace fake;

// The first subscriber decides whether there may be others, for the whole process.
CUptiResult fake_subscribe_with_others(CUpti_SubscriberHandle* handle, CUpti_CallbackFunc callback,
                                       void* userdata, CUpti_SubscriberParams* parameters) {
  if (!is_supported()) return CUPTI_ERROR_NOT_SUPPORTED;
  const bool allows = reinterpret_cast<SubscriberParams*>(parameters)->allows_others != 0;
  const bool has_older = [] {
    const std::lock_guard lock(state().lock);
    return state().callback != nullptr || misbehaviour().taken;
  }();
  const std::lock_guard lock(all().lock);
  const bool is_alone = all().present == 0;
  if (has_older || (all().allows >= 0 && (all().allows != 0) != allows) || (!is_alone && !allows)) {
    if (parameters->oldSubscriberName != nullptr)
      std::snprintf(parameters->oldSubscriberName, parameters->oldSubscriberSize, "CUPTI for %s",
                    has_older ? "another one" : all().subscribers.front().name.c_str());
    return kTaken;
  }
  all().allows = allows ? 1 : 0;
  Subscriber& made = all().subscribers.emplace_back();
  made.name = parameters->subscriberName == nullptr ? "" : parameters->subscriberName;
  made.callback = callback;
  made.userdata = userdata;
  ++all().present;
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
  Subscriber& one = of(subscriber);                      \
  const std::lock_guard lock(all().lock)

WITH_SUBSCRIBER(cuptiGetTimestamp_v2, (CUpti_SubscriberHandle subscriber, std::uint64_t* time)) {
  BEGIN;
  static_cast<void>(one);
  *time = now();
  return CUPTI_SUCCESS;
}

WITH_SUBSCRIBER(cuptiActivityEnable_v2,
                (CUpti_SubscriberHandle subscriber, CUpti_ActivityKind kind, void*)) {
  BEGIN;
  if (record_size(kind, misbehaviour().version) == 0) return CUPTI_ERROR_INVALID_KIND;
  all().used = true;
  one.kinds.set(static_cast<unsigned>(kind));
  return CUPTI_SUCCESS;
}

WITH_SUBSCRIBER(cuptiActivityDisable_v2,
                (CUpti_SubscriberHandle subscriber, CUpti_ActivityKind kind, void*)) {
  BEGIN;
  if (record_size(kind, misbehaviour().version) == 0) return CUPTI_ERROR_INVALID_KIND;
  one.kinds.reset(static_cast<unsigned>(kind));
  return CUPTI_SUCCESS;
}

WITH_SUBSCRIBER(cuptiActivityRegisterCallbacks_v2,
                (CUpti_SubscriberHandle subscriber, Request* request, Complete* complete)) {
  BEGIN;
  if (request == nullptr || complete == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
  all().used = true;
  one.request = request;
  one.complete = complete;
  return CUPTI_SUCCESS;
}

WITH_SUBSCRIBER(cuptiActivityGetNextRecord_v2,
                (CUpti_SubscriberHandle subscriber, std::uint8_t* buffer, std::size_t valid,
                 CUpti_Activity** record)) {
  BEGIN;
  static_cast<void>(one);
  auto* next = buffer;
  if (*record != nullptr)
    next = reinterpret_cast<std::uint8_t*>(*record) +
           record_size((*record)->kind, misbehaviour().version);
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

// Only the attribute that says whether there may be other subscribers.
WITH_SUBSCRIBER(cuptiActivityGetAttribute_v2,
                (CUpti_SubscriberHandle subscriber, CUpti_ActivityAttribute attribute,
                 std::size_t* size, void* value)) {
  BEGIN;
  static_cast<void>(one);
  if (size == nullptr || value == nullptr || static_cast<int>(attribute) != 12)
    return CUPTI_ERROR_INVALID_PARAMETER;
  *static_cast<std::uint8_t*>(value) =
      static_cast<std::uint8_t>(all().allows < 0 ? 2 : all().allows);
  return CUPTI_SUCCESS;
}

#undef BEGIN
#undef WITH_SUBSCRIBER
