// Records of clients. CUPTI fills our buffers. Each record is copied into the buffers of the
// clients that asked for it, with their times and ids.
#include <cstring>

#include "injection/core/clock.hpp"
#include "injection/core/thread_state.hpp"
#include "injection/cuda/clients/client.hpp"
#include "injection/cuda/clients/host.hpp"
#include "injection/cuda/clients/record_layout.hpp"
#include "injection/cuda/state.hpp"

namespace prof::cuda::clients {

namespace {

// One record of CUPTI's, on its way to one client.
struct Copy {
  const CUpti_Activity* record;
  std::size_t size;
  CUpti_ActivityKind kind;  // for this client
  CUpti_ExternalCorrelationKind external_kind;
};

template <class Value>
Value read_at(const CUpti_Activity* record, std::uint16_t offset) {
  return value_at<const Value>(const_cast<CUpti_Activity*>(record), offset);
}

std::uint64_t raw(std::uint64_t theirs) {
  return theirs == 0 ? 0 : theirs - static_cast<std::uint64_t>(g_state.clock_lag);
}

bool was_enabled(const Windows& windows, const CUpti_Activity* record, const RecordLayout* layout) {
  if (windows.count == 0) return false;
  if (layout == nullptr) return windows.open;
  if (layout->correlation != 0)
    return windows.has_correlation(read_at<std::uint32_t>(record, layout->correlation));
  const std::uint64_t start =
      layout->times[0] == 0 ? 0 : raw(read_at<std::uint64_t>(record, layout->times[0]));
  return start == 0 ? windows.open : windows.has_time(start);
}

bool is_kernel(CUpti_ActivityKind kind) { return kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL; }

const Windows& windows_of(const Client& client, CUpti_ActivityKind kind) {
  return client.wishes.kinds[static_cast<unsigned>(kind) % kKinds];
}

bool is_for(const Client& client, const CUpti_ActivityAPI& call) {
  return client.apis[api_index(call.kind)].functions.has(call.cbid) &&
         !is_own_call(call.correlationId);
}

// The caller holds the client's state.
bool is_wanted(const Client& client, Copy& copy) {
  const CUpti_ActivityKind kind = copy.record->kind;
  if (static_cast<unsigned>(kind) >= kKinds) return false;
  const RecordLayout* layout = layout_of(kind);
  copy.kind = kind;
  if (!was_enabled(windows_of(client, kind), copy.record, layout)) {
    if (!is_kernel(kind) ||
        !was_enabled(windows_of(client, CUPTI_ACTIVITY_KIND_KERNEL), copy.record, layout))
      return false;
    copy.kind = CUPTI_ACTIVITY_KIND_KERNEL;
  }
  if (is_api(kind)) return is_for(client, *reinterpret_cast<const CUpti_ActivityAPI*>(copy.record));
  if (kind != CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION) return true;
  const ExternalIdOwner owner =
      owner_of(*reinterpret_cast<const CUpti_ActivityExternalCorrelation*>(copy.record));
  copy.external_kind = owner.kind;
  return owner.client == index_of(client);
}

bool has_thread(const CUpti_Activity* record) {
  switch (record->kind) {
    case CUPTI_ACTIVITY_KIND_OVERHEAD:
      return reinterpret_cast<const CUpti_ActivityOverhead2*>(record)->objectKind ==
             CUPTI_ACTIVITY_OBJECT_THREAD;
    case CUPTI_ACTIVITY_KIND_MARKER:
      return reinterpret_cast<const CUpti_ActivityMarker2*>(record)->objectKind ==
             CUPTI_ACTIVITY_OBJECT_THREAD;
    default:
      return true;
  }
}

// The caller holds the client's state.
void write_copy(const Client& client, const Copy& copy, std::uint8_t* place) {
  std::memcpy(place, copy.record, copy.size);
  value_at<CUpti_ActivityKind>(place, 0) = copy.kind;
  if (copy.kind == CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION)
    reinterpret_cast<CUpti_ActivityExternalCorrelation*>(place)->externalKind = copy.external_kind;
  const RecordLayout* layout = layout_of(copy.record->kind);
  if (layout == nullptr) return;
  for (const std::uint16_t offset : layout->times) {
    if (offset == 0) break;
    auto& time = value_at<std::uint64_t>(place, offset);
    time = client.wishes.clock.of(raw(time));
  }
  const bool by_pthread = client.wishes.thread_ids != CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM;
  if (layout->thread == 0 || !by_pthread || !has_thread(copy.record)) return;
  auto& thread = value_at<std::uint32_t>(place, layout->thread);
  thread = pthread_of(thread);
}

struct Callbacks {
  CUpti_BuffersCallbackRequestFunc request;
  CUpti_BuffersCallbackCompleteFunc complete;
};

Callbacks callbacks_of(Client& client) {
  const Locked state(client.state);
  return {client.wishes.request, client.wishes.complete};
}

// The caller holds `delivery`.
bool has_room(const Buffer& buffer, std::size_t size) {
  return buffer.memory != nullptr && buffer.valid + size <= buffer.size &&
         (buffer.limit == 0 || buffer.records < buffer.limit);
}

Buffer take(Client& client) {
  const Buffer buffer = client.buffer;
  client.buffer = {};
  client.needs_buffer.store(client.open_kinds.load(std::memory_order_relaxed) != 0,
                            std::memory_order_relaxed);
  return buffer;
}

void complete(CUpti_BuffersCallbackCompleteFunc function, const Buffer& buffer) {
  if (buffer.memory != nullptr && function != nullptr)
    function(nullptr, 0, buffer.memory, buffer.size, buffer.valid);
}

// The caller holds `delivery`.
void request(Client& client, const Callbacks& callbacks) {
  Buffer fresh{};
  callbacks.request(&fresh.memory, &fresh.size, &fresh.limit);
  client.buffer = fresh;
  client.needs_buffer.store(false, std::memory_order_relaxed);
}

// A client that gives no buffer, or one that is too small, loses the record, as with CUPTI.
bool open_buffer(Client& client, const Callbacks& callbacks, std::size_t size) {
  request(client, callbacks);
  if (has_room(client.buffer, size)) return true;
  client.dropped.fetch_add(1, std::memory_order_relaxed);
  return false;
}

// Returns a buffer that has to be handed over, because it is full or useless.
Buffer put(Client& client, const Callbacks& callbacks, const CUpti_Activity* record,
           std::size_t size) {
  const Locked delivery(client.delivery);
  Copy copy{record, size, {}, {}};
  {
    const Locked state(client.state);
    if (!is_wanted(client, copy)) return {};
  }
  Buffer full{};
  if (!has_room(client.buffer, size)) {
    full = take(client);
    if (!open_buffer(client, callbacks, size)) return full.memory != nullptr ? full : take(client);
  }
  const Locked state(client.state);
  write_copy(client, copy, client.buffer.memory + client.buffer.valid);
  client.buffer.valid += size;
  ++client.buffer.records;
  return full;
}

void hand_over_if_due(Client& client) {
  const std::uint64_t period = client.flush_period.load(std::memory_order_relaxed);
  if (period == 0) return;
  const std::uint64_t now = core::monotonic_raw();
  {
    const Locked delivery(client.delivery);
    if (now - client.flushed < period) return;
    client.flushed = now;
  }
  hand_over(client);
}

// Calls `function` with each record of a buffer and its size.
template <class Function>
void for_each_record(std::uint8_t* memory, std::size_t valid, Function function) {
  CUpti_Activity* record = nullptr;
  if (g_real.cuptiActivityGetNextRecord(memory, valid, &record) != CUPTI_SUCCESS) return;
  for (;;) {
    CUpti_Activity* next = record;
    const bool has_next = g_real.cuptiActivityGetNextRecord(memory, valid, &next) == CUPTI_SUCCESS;
    const auto* end = has_next ? reinterpret_cast<std::uint8_t*>(next) : memory + valid;
    function(record, static_cast<std::size_t>(end - reinterpret_cast<std::uint8_t*>(record)));
    if (!has_next) return;
    record = next;
  }
}

void note_external_ids(const CUpti_Activity* record) {
  if (record->kind != CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION) return;
  const auto& id = *reinterpret_cast<const CUpti_ActivityExternalCorrelation*>(record);
  const ExternalIdOwner owner = owner_of(id);
  if (owner.client == kMostClients) return;
  write_external_id(id.correlationId, static_cast<std::uint8_t>(owner.kind), id.externalId,
                    g_clients[owner.client].name.load(std::memory_order_relaxed));
}

void deliver_to(Client& client, std::uint8_t* memory, std::size_t valid) {
  const Callbacks callbacks = callbacks_of(client);
  if (callbacks.request == nullptr || callbacks.complete == nullptr) return;
  read_clock(client);
  for_each_record(memory, valid, [&](const CUpti_Activity* record, std::size_t size) {
    complete(callbacks.complete, put(client, callbacks, record, size));
  });
  hand_over_if_due(client);
}

}  // namespace

void deliver(std::uint8_t* memory, std::size_t valid) {
  for_each_record(memory, valid,
                  [](const CUpti_Activity* record, std::size_t) { note_external_ids(record); });
  for_each([&](Client& client) { deliver_to(client, memory, valid); });
}

void count_dropped(std::size_t records) {
  for_each([&](Client& client) { client.dropped.fetch_add(records, std::memory_order_relaxed); });
}

CUptiResult register_callbacks(Client& client, CUpti_BuffersCallbackRequestFunc request,
                               CUpti_BuffersCallbackCompleteFunc complete) {
  if (request == nullptr || complete == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
  const Locked state(client.state);
  client.wishes.request = request;
  client.wishes.complete = complete;
  return CUPTI_SUCCESS;
}

void hand_over(Client& client, bool also_empty) {
  const Callbacks callbacks = callbacks_of(client);
  Buffer buffer{};
  {
    const Locked delivery(client.delivery);
    if (client.buffer.valid != 0 || also_empty) buffer = take(client);
  }
  complete(callbacks.complete, buffer);
}

void feed(Client& client) {
  if (!client.needs_buffer.load(std::memory_order_relaxed)) return;
  const Callbacks callbacks = callbacks_of(client);
  if (callbacks.request == nullptr) return;
  const Locked delivery(client.delivery);
  if (client.buffer.memory == nullptr) request(client, callbacks);
  client.needs_buffer.store(false, std::memory_order_relaxed);
}

// CUPTI hands its buffers over before the call returns, so the client's copies are complete.
CUptiResult flush(Client& client, std::uint32_t flags) {
  if (callbacks_of(client).complete == nullptr) return CUPTI_ERROR_INVALID_OPERATION;
  core::ThreadState& t = core::t_state;
  const bool inside = t.in_cupti;
  t.in_cupti = true;
  const CUptiResult result = g_real.cuptiActivityFlushAll(flags);
  t.in_cupti = inside;
  hand_over(client);
  return result;
}

}  // namespace prof::cuda::clients
