// Records of clients. CUPTI fills our buffers. Each record is copied into the buffers of the
// clients that asked for it, with their times and ids.
#include <cstring>

#include "injection/core/clock.hpp"
#include "injection/core/thread_state.hpp"
#include "injection/cuda/clients/client.hpp"
#include "injection/cuda/clients/host.hpp"
#include "injection/cuda/clients/record_arrays.hpp"
#include "injection/cuda/clients/record_layout.hpp"
#include "injection/cuda/state.hpp"

namespace prof::cuda::clients {

namespace {

// Records of a buffer that are handled together, so that locks and clocks are needed only once for
// all of them.
struct Batch {
  static constexpr std::uint32_t kMaximum = 256;
  std::uint32_t count;
  bool has_arrays;  // of which each client gets copies
  struct {
    const CUpti_Activity* record;
    std::size_t size;
  } items[kMaximum];
};

// A record of CUPTI that is copied to a client.
struct Copy {
  const CUpti_Activity* record;
  std::size_t size;
  const RecordLayout* layout;
  CUpti_ActivityKind kind;  // the kind that this client sees
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
  return client.apis[api_index(call.kind)].functions.has(call.cbid) && !is_own_call(call);
}

// True if the client wants the record. The caller holds the client's state.
bool is_wanted(const Client& client, Copy& copy) {
  const CUpti_ActivityKind kind = copy.record->kind;
  if (static_cast<unsigned>(kind) >= kKinds) return false;
  copy.layout = layout_of(kind);
  copy.kind = kind;
  if (!was_enabled(windows_of(client, kind), copy.record, copy.layout)) {
    if (!is_kernel(kind) ||
        !was_enabled(windows_of(client, CUPTI_ACTIVITY_KIND_KERNEL), copy.record, copy.layout))
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

// Data that seldom changes from record to record. While the object exists, the caller holds the
// client's state.
struct Converter {
  TimeConverter time;
  const bool by_pthread;
  std::uint32_t thread = 0;  // the thread of the previous record
  std::uint32_t pthread = 0;

  explicit Converter(const Client& client)
      : time(client.wishes.clock),
        by_pthread(client.wishes.thread_ids != CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM) {}

  std::uint32_t pthread_of(std::uint32_t tid) {
    if (tid != thread || thread == 0) {
      thread = tid;
      pthread = clients::pthread_of(tid);
    }
    return pthread;
  }
};

// Copies by words: records are short, and their sizes are multiples of 8.
void copy_words(std::uint8_t* to, const CUpti_Activity* from, std::size_t size) {
  constexpr std::size_t kShort = 64;
  if (size > kShort || size % sizeof(std::uint64_t) != 0) {
    std::memcpy(to, from, size);
    return;
  }
  const auto* words = reinterpret_cast<const std::uint8_t*>(from);
  for (std::size_t i = 0; i < size; i += sizeof(std::uint64_t))
    std::memcpy(to + i, words + i, sizeof(std::uint64_t));
}

void write_copy(Converter& convert, const Copy& copy, std::uint8_t* place) {
  copy_words(place, copy.record, copy.size);
  value_at<CUpti_ActivityKind>(place, 0) = copy.kind;
  if (copy.kind == CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION)
    reinterpret_cast<CUpti_ActivityExternalCorrelation*>(place)->externalKind = copy.external_kind;
  const RecordLayout* layout = copy.layout;
  if (layout == nullptr) {
    if (has_arrays(*copy.record)) copy_arrays(place);
    return;
  }
  convert_times(place, *layout, [&](std::uint64_t time) { return convert.time(raw(time)); });
  if (layout->thread == 0 || !convert.by_pthread || !has_thread(copy.record)) return;
  auto& thread = value_at<std::uint32_t>(place, layout->thread);
  thread = convert.pthread_of(thread);
}

struct Callbacks {
  CUpti_BuffersCallbackRequestFunc request;
  CUpti_BuffersCallbackCompleteFunc complete;
};

Callbacks callbacks_of(Client& client) {
  const Locked state(client.state);
  return {client.wishes.request, client.wishes.complete};
}

// True if the record fits into the buffer. The caller holds `delivery`.
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

// Requests a buffer from the client. The caller holds `delivery`.
void request(Client& client, const Callbacks& callbacks) {
  Buffer fresh{};
  callbacks.request(&fresh.memory, &fresh.size, &fresh.limit);
  client.buffer = fresh;
  client.needs_buffer.store(false, std::memory_order_relaxed);
}

// Copies records, beginning with `first`, until the client's buffer is full. Returns the number of
// the first record that was not copied. The caller holds `delivery`.
std::uint32_t copy_until_full(Client& client, const Batch& batch, std::uint32_t first) {
  const Locked state(client.state);
  Converter convert(client);
  Buffer& buffer = client.buffer;
  std::uint32_t i = first;
  for (; i < batch.count; ++i) {
    Copy copy{batch.items[i].record, batch.items[i].size, nullptr, {}, {}};
    if (!is_wanted(client, copy)) continue;
    if (!has_room(buffer, copy.size)) break;
    write_copy(convert, copy, buffer.memory + buffer.valid);
    buffer.valid += copy.size;
    ++buffer.records;
  }
  return i;
}

// Copies records, beginning with `next`, and advances `next`. Returns a buffer that has to be
// handed over, because it is full or useless.
Buffer put(Client& client, const Callbacks& callbacks, const Batch& batch, std::uint32_t& next) {
  const Locked delivery(client.delivery);
  next = copy_until_full(client, batch, next);
  if (next == batch.count) return {};
  const Buffer full = take(client);
  request(client, callbacks);
  // A client that provides no buffer, or one that is too small, loses the record, as with CUPTI.
  if (has_room(client.buffer, batch.items[next].size)) return full;
  client.dropped.fetch_add(1, std::memory_order_relaxed);
  ++next;
  return full.memory != nullptr ? full : take(client);
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

// Reads a buffer once. CUPTI's function finds the end of each record.
class Reader {
 public:
  Reader(std::uint8_t* memory, std::size_t valid) : memory_(memory), valid_(valid) { advance(); }

  CUptiResult end() const { return result_; }

  // Returns false at the end of the buffer.
  bool read(Batch& batch) {
    batch.count = 0;
    while (batch.count < Batch::kMaximum && result_ == CUPTI_SUCCESS) {
      const CUpti_Activity* record = record_;
      advance();
      const auto* next =
          result_ == CUPTI_SUCCESS ? reinterpret_cast<std::uint8_t*>(record_) : memory_ + valid_;
      batch.items[batch.count++] = {
          record, static_cast<std::size_t>(next - reinterpret_cast<const std::uint8_t*>(record))};
    }
    return batch.count != 0;
  }

 private:
  void advance() { result_ = g_real.cuptiActivityGetNextRecord(memory_, valid_, &record_); }

  std::uint8_t* memory_;
  std::size_t valid_;
  CUpti_Activity* record_ = nullptr;
  CUptiResult result_ = CUPTI_SUCCESS;
};

void note_external_ids(const CUpti_Activity* record) {
  if (record->kind != CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION) return;
  const auto& id = *reinterpret_cast<const CUpti_ActivityExternalCorrelation*>(record);
  const ExternalIdOwner owner = owner_of(id);
  if (owner.client == kMaxClients) return;
  write_external_id(id.correlationId, static_cast<std::uint8_t>(owner.kind), id.externalId,
                    g_clients[owner.client].name.load(std::memory_order_relaxed));
}

const CUpti_ActivityAPI& call_of(const CUpti_Activity* record) {
  return *reinterpret_cast<const CUpti_ActivityAPI*>(record);
}

// True if one of the next records is the runtime call that contains this driver call. Such a driver
// call has the same id and no row. The record of the runtime call follows soon. The collector
// leaves out the driver calls that are not found here.
bool is_inside_of_next(const Batch& batch, std::uint32_t i) {
  const std::uint32_t id = call_of(batch.items[i].record).correlationId;
  constexpr std::uint32_t kNear = 8;
  for (std::uint32_t k = i + 1; k < batch.count && k <= i + kNear; ++k) {
    const CUpti_Activity* next = batch.items[k].record;
    if (next->kind == CUPTI_ACTIVITY_KIND_RUNTIME && call_of(next).correlationId == id) return true;
  }
  return false;
}

void write_call(const Batch& batch, std::uint32_t i) {
  const CUpti_ActivityAPI& call = call_of(batch.items[i].record);
  if (!is_row_by_record(call)) return;
  if (call.kind == CUPTI_ACTIVITY_KIND_DRIVER && is_inside_of_next(batch, i)) return;
  write_recorded_call(call);
}

// Writes our tracer's records, and notes whether a record has arrays.
void write_own(Batch& batch) {
  batch.has_arrays = false;
  for (std::uint32_t i = 0; i < batch.count; ++i) {
    const CUpti_Activity* record = batch.items[i].record;
    if (is_api(record->kind))
      write_call(batch, i);
    else if (has_arrays(*record))
      batch.has_arrays = true;
    if (is_own(record->kind) && !add_graph_node(record)) write_activity(record);
    note_external_ids(record);
  }
}

void deliver_to(Client& client, const Batch& batch) {
  const Callbacks callbacks = callbacks_of(client);
  if (callbacks.request == nullptr || callbacks.complete == nullptr) return;
  for (std::uint32_t next = 0; next < batch.count;)
    complete(callbacks.complete, put(client, callbacks, batch, next));
}

bool has_callbacks(Client& client) { return callbacks_of(client).complete != nullptr; }

}  // namespace

CUptiResult deliver(std::uint8_t* memory, std::size_t valid) {
  for_each([](Client& client) {
    // The clock's function of a client that has disabled everything may have been unloaded with its
    // library.
    const bool enabled = client.open_kinds.load(std::memory_order_relaxed) != 0;
    if (enabled && has_callbacks(client)) read_clock(client);
  });
  Reader reader(memory, valid);
  for (Batch batch; reader.read(batch);) {
    write_own(batch);
    for_each([&](Client& client) { deliver_to(client, batch); });
    for (std::uint32_t i = 0; batch.has_arrays && i < batch.count; ++i)
      if (has_arrays(*batch.items[i].record)) free_arrays(*batch.items[i].record);
  }
  for_each([](Client& client) {
    if (has_callbacks(client)) hand_over_if_due(client);
  });
  return reader.end();
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

CUptiResult take_dropped(Client& client, std::size_t* dropped) {
  if (dropped == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
  *dropped = client.dropped.exchange(0, std::memory_order_relaxed);
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

// Flushes for a client. CUPTI hands its buffers over before the call returns, so the client's
// copies are complete.
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
