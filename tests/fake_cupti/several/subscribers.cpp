#include "several/subscribers.hpp"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <utility>
#include <vector>

#include "injection/cuda/clients/record_layout.hpp"
#include "record_sizes.hpp"

namespace fake {

Subscribers& subscribers() {
  static Subscribers& made = *new Subscribers;
  return made;
}

// A program that uses a handle for long after its end finds nobody's entry.
Subscriber& add_subscriber() {
  constexpr std::size_t kKept = 64;
  Subscribers& all = subscribers();
  Subscriber* made = nullptr;
  if (all.gone.size() > kKept) {
    made = all.gone.front();
    all.gone.pop_front();
    *made = Subscriber{};
  } else {
    made = &all.list.emplace_back();
  }
  made->number = ++all.last_number;
  return *made;
}

Subscriber& subscriber_of(CUpti_SubscriberHandle handle) {
  if (reinterpret_cast<State*>(handle) == &state()) return subscribers().of_older;
  for (Subscriber& known : subscribers().list)
    if (reinterpret_cast<Subscriber*>(handle) == &known) return known;
  std::fputs("fake CUPTI: a handle of somebody else\n", stderr);
  std::abort();
}

std::vector<std::uint64_t>& external_ids_of(const Subscriber& one, int kind) {
  thread_local std::map<std::pair<std::uint64_t, int>, std::vector<std::uint64_t>> ids;
  return ids[{one.number, kind}];
}

// --- Clocks.

namespace {

struct Reading {
  std::uint64_t base;
  std::uint64_t theirs;
};

// The thread may lose its CPU between the readings, so the shortest of three attempts counts.
Reading read_both(CUpti_TimestampCallbackFunc function) {
  Reading best{};
  std::uint64_t shortest = ~std::uint64_t{0};
  for (int i = 0; i < 3; ++i) {
    const std::uint64_t before = now();
    const std::uint64_t theirs = function();
    const std::uint64_t took = now() - before;
    if (took >= shortest) continue;
    shortest = took;
    best = {before + took / 2, theirs};
  }
  return best;
}

}  // namespace

void SubscriberClock::set(CUpti_TimestampCallbackFunc function) {
  constexpr std::uint64_t kEnough = 200'000;  // ns
  function_ = function;
  if (function == nullptr) return;
  const Reading first = read_both(function);
  Reading second = first;
  while (second.base - first.base < kEnough) second = read_both(function);
  rate_ = static_cast<std::int64_t>((second.theirs - first.theirs + kEnough / 2) /
                                    (second.base - first.base));
}

std::uint64_t SubscriberClock::now() const {
  return function_ == nullptr ? fake::now() : function_();
}

void SubscriberClock::convert(CUpti_ActivityKind kind, void* record) const {
  const auto* layout = prof::cuda::clients::layout_of(kind);
  if (function_ == nullptr || layout == nullptr) return;
  const Reading anchor = read_both(function_);
  prof::cuda::clients::convert_times(record, *layout, [&](std::uint64_t time) {
    if (time == 0) return time;
    return anchor.theirs +
           static_cast<std::uint64_t>(static_cast<std::int64_t>(time - anchor.base) * rate_);
  });
}

// --- Records.

namespace {

template <class Function>
void for_each_subscriber(Function function) {
  function(subscribers().of_older);
  for (Subscriber& one : subscribers().list) function(one);
}

ActivityBuffer take_buffer(Subscriber& one) { return std::exchange(one.buffer, ActivityBuffer{}); }

void hand_over(Subscriber& one, const ActivityBuffer& buffer) {
  if (buffer.memory == nullptr) return;
  prof::cuda::v2::BufferInfo info = one.selections.info();
  one.complete(buffer.memory, buffer.size, buffer.valid, one.selects ? &info : nullptr);
  state().delivered += buffer.records;
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
  ++one.buffer.records;
  return full;
}

}  // namespace

namespace {

bool is_api(CUpti_ActivityKind kind) {
  return kind == CUPTI_ACTIVITY_KIND_RUNTIME || kind == CUPTI_ACTIVITY_KIND_DRIVER;
}

bool is_wanted(const Subscriber& one, const CUpti_Activity& record) {
  const auto kind = static_cast<std::size_t>(record.kind);
  if (one.complete == nullptr || kind >= one.kinds.size() || !one.kinds.test(kind)) return false;
  if (record.kind == CUPTI_ACTIVITY_KIND_DEVICE) return one.has_devices;
  if (record.kind == CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER)
    return state().counters.test(static_cast<std::size_t>(
        reinterpret_cast<const CUpti_ActivityUnifiedMemoryCounter3&>(record).counterKind));
  if (!is_api(record.kind)) return true;
  const auto domain = record.kind == CUPTI_ACTIVITY_KIND_RUNTIME ? CUPTI_CB_DOMAIN_RUNTIME_API
                                                                 : CUPTI_CB_DOMAIN_DRIVER_API;
  return !one.hidden_apis[domain].test(reinterpret_cast<const CUpti_ActivityAPI&>(record).cbid);
}

// The record as this subscriber sees it.
struct SubscriberRecord {
  static constexpr std::size_t kMaximum = 512;
  alignas(8) std::uint8_t bytes[kMaximum];
  std::size_t size;

  SubscriberRecord(const Subscriber& one, const void* given, std::size_t given_size)
      : size(given_size) {
    std::memcpy(bytes, given, size);
    auto* record = reinterpret_cast<CUpti_Activity*>(bytes);
    one.clock.convert(record->kind, bytes);
    if (is_api(record->kind))
      reinterpret_cast<CUpti_ActivityAPI*>(bytes)->threadId = thread_id(one.thread_ids);
    if (record->kind == CUPTI_ACTIVITY_KIND_NVLINK)
      copy_ports(*reinterpret_cast<prof::cuda::v2::NvLink*>(bytes));
    if (one.selects) select(one.selections, record->kind);
  }

  void select(const Selections& selections, int kind) {
    alignas(8) std::uint8_t whole[kMaximum];
    std::memcpy(whole, bytes, size);
    size = selections.record_size(kind);
    selections.write(kind, whole, bytes);
  }

  // Each subscriber frees the arrays that it gets.
  static void copy_ports(prof::cuda::v2::NvLink& link) {
    for (std::uint32_t*& ports : link.ports) {
      auto* copy = static_cast<std::uint32_t*>(std::malloc(link.links * sizeof *ports));
      std::memcpy(copy, ports, link.links * sizeof *ports);
      ports = copy;
    }
  }
};

bool record_for(Subscriber& one, const void* bytes, std::size_t size) {
  ActivityBuffer full{};
  {
    const std::lock_guard lock(subscribers().lock);
    if (!is_wanted(one, *static_cast<const CUpti_Activity*>(bytes))) return false;
    const SubscriberRecord record(one, bytes, size);
    full = put(one, record.bytes, record.size);
  }
  hand_over(one, full);
  return true;
}

}  // namespace

bool record_for_subscribers(const void* bytes, std::size_t size) {
  if (!subscribers().used) return false;
  bool taken = false;
  for_each_subscriber([&](Subscriber& one) { taken = record_for(one, bytes, size) || taken; });
  return taken;
}

void record_external_ids_for_subscribers(std::uint32_t correlation) {
  if (!subscribers().used) return;
  for_each_subscriber([&](Subscriber& one) {
    for (int kind = 0; kind < CUPTI_EXTERNAL_CORRELATION_KIND_SIZE; ++kind) {
      if (external_ids_of(one, kind).empty()) continue;
      CUpti_ActivityExternalCorrelation record{};
      record.kind = CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION;
      record.externalKind = static_cast<CUpti_ExternalCorrelationKind>(kind);
      record.externalId = external_ids_of(one, kind).back();
      record.correlationId = correlation;
      record_for(one, &record, sizeof record);
    }
  });
}

void hand_over_to_subscribers() {
  if (!subscribers().used) return;
  for_each_subscriber([](Subscriber& one) {
    ActivityBuffer buffer{};
    {
      const std::lock_guard lock(subscribers().lock);
      buffer = take_buffer(one);
    }
    hand_over(one, buffer);
  });
}

bool is_enabled_for_subscribers(CUpti_ActivityKind kind) {
  bool enabled = false;
  if (!subscribers().used) return enabled;
  const std::lock_guard lock(subscribers().lock);
  for_each_subscriber([&](const Subscriber& one) {
    enabled = enabled || one.kinds.test(static_cast<unsigned>(kind));
  });
  return enabled;
}

bool do_subscribers_listen(CUpti_CallbackDomain domain, CUpti_CallbackId id) {
  if (subscribers().present == 0 || id >= kMaxIds) return false;
  const std::lock_guard lock(subscribers().lock);
  for (const Subscriber& one : subscribers().list)
    if (one.callback != nullptr && one.callbacks[domain].test(id)) return true;
  return false;
}

// As in CUPTI 13.5, all of them share the word of a call.
void call_subscribers(CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data) {
  if (subscribers().present == 0 || id >= kMaxIds) return;
  for (const Subscriber& one : subscribers().list)
    if (one.callback != nullptr && one.callbacks[domain].test(id))
      one.callback(one.userdata, domain, id, data);
}

// "Cannot mix global-scope and subscriber-scope activity APIs."
CUptiResult answer_to_older_call() {
  return subscribers().used || subscribers().present != 0 ? CUPTI_ERROR_NOT_COMPATIBLE
                                                          : CUPTI_SUCCESS;
}

CUptiResult answer_to_call_of_only_one(int most) {
  return subscribers().present > most && subscribers().allows == 1 ? CUPTI_ERROR_NOT_COMPATIBLE
                                                                   : CUPTI_SUCCESS;
}

CUptiResult answer_to_older_subscription() {
  return subscribers().present != 0 ? CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED
                                    : CUPTI_SUCCESS;
}

void reject_handle() {
  if (!misbehaviour().strict) return;
  std::fputs("fake CUPTI: a handle of somebody else\n", stderr);
  std::abort();
}

bool set_callback_of_subscriber(CUpti_SubscriberHandle handle, CUpti_CallbackDomain domain,
                                CUpti_CallbackId id, bool on) {
  const std::lock_guard lock(subscribers().lock);
  for (Subscriber& one : subscribers().list) {
    if (reinterpret_cast<Subscriber*>(handle) != &one || one.callback == nullptr) continue;
    one.callbacks[domain].set(id, on);
    return true;
  }
  return false;
}

bool set_domain_of_subscriber(CUpti_SubscriberHandle handle, CUpti_CallbackDomain domain, bool on) {
  const std::lock_guard lock(subscribers().lock);
  for (Subscriber& one : subscribers().list) {
    if (reinterpret_cast<Subscriber*>(handle) != &one || one.callback == nullptr) continue;
    on ? one.callbacks[domain].set() : one.callbacks[domain].reset();
    return true;
  }
  return false;
}

bool end_subscriber(CUpti_SubscriberHandle handle) {
  const std::lock_guard lock(subscribers().lock);
  for (Subscriber& one : subscribers().list) {
    if (reinterpret_cast<Subscriber*>(handle) != &one || one.callback == nullptr) continue;
    one.callback = nullptr;
    one.kinds.reset();
    for (auto& domain : one.callbacks) domain.reset();
    --subscribers().present;
    if (one.buffer.memory == nullptr) subscribers().gone.push_back(&one);
    return true;
  }
  return false;
}

}  // namespace fake
