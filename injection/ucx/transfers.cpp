#include "injection/ucx/transfers.hpp"

#include <atomic>
#include <cstring>

#include "injection/libraries/recorder.hpp"
#include "injection/ucx/workers.hpp"

namespace prof::ucx {

namespace {

std::int64_t sum_of(const Piece* pieces, std::uint64_t count) {
  std::int64_t sum = 0;
  for (std::uint64_t i = 0; i < count; ++i) sum += static_cast<std::int64_t>(pieces[i].length);
  return sum;
}

// Returns the type of the elements: by default bytes.
Word type_of(const Roles& roles, const Word* arguments) {
  constexpr Word kByte = Word{1} << kClassShift;
  if (roles.type >= 0) return arguments[roles.type];
  if (roles.param < 0) return kByte;
  const auto* param = reinterpret_cast<const RequestParam*>(arguments[roles.param]);
  return (param->mask & kHasDatatype) != 0 ? param->datatype : kByte;
}

// Returns -1 if only the program knows.
std::int64_t bytes_of(const Roles& roles, const Word* arguments) {
  if (roles.count < 0) return roles.bytes;
  const Word count = arguments[roles.count];
  const Word type = type_of(roles, arguments);
  if ((type & kClassBits) == kContiguous)
    return static_cast<std::int64_t>(count * (type >> kClassShift));
  if ((type & kClassBits) != kVector || roles.buffer < 0) return -1;
  return sum_of(reinterpret_cast<const Piece*>(arguments[roles.buffer]), count);
}

// A transfer that UCX has in progress.
struct Slot {
  wire::UcpTransferRecord transfer;
  void* callback;  // of the program; null: none
  void* user_data;
  std::atomic<std::uint32_t> next;  // of the free slots: index + 1; 0: none
};

// A program that frees a request before it is done keeps the slot forever, because UCX does not
// call the callback. Transfers for which no slot is free are not followed.
constexpr std::uint32_t kMaxTransfers = 8192;
Slot g_slots[kMaxTransfers];
constinit std::atomic<std::uint32_t> g_used{0};  // slots that were taken once
// The first free slot: index + 1, and above it a counter, so that a slot which was taken and given
// back in between is noticed.
constinit std::atomic<std::uint64_t> g_free{0};
constexpr std::uint64_t kCount = std::uint64_t{1} << 32;

Slot* take_slot() {
  std::uint64_t first = g_free.load(std::memory_order_acquire);
  while (static_cast<std::uint32_t>(first) != 0) {
    Slot& slot = g_slots[static_cast<std::uint32_t>(first) - 1];
    const std::uint64_t rest = slot.next.load(std::memory_order_relaxed);
    if (g_free.compare_exchange_weak(first, (first & ~(kCount - 1)) + kCount + rest,
                                     std::memory_order_acquire))
      return &slot;
  }
  if (g_used.load(std::memory_order_relaxed) >= kMaxTransfers) return nullptr;
  const std::uint32_t index = g_used.fetch_add(1, std::memory_order_relaxed);
  return index < kMaxTransfers ? &g_slots[index] : nullptr;
}

void give_back(Slot& slot) {
  const auto own = static_cast<std::uint64_t>(&slot - g_slots) + 1;
  std::uint64_t first = g_free.load(std::memory_order_relaxed);
  do {
    slot.next.store(static_cast<std::uint32_t>(first), std::memory_order_relaxed);
    // Pairs with take_slot(): its owner sees `next`.
  } while (!g_free.compare_exchange_weak(first, (first & ~(kCount - 1)) + kCount + own,
                                         std::memory_order_release));
}

// What is left to do when a slot is free again: the program's callback.
struct Left {
  void* callback;
  void* user_data;
};

Left end_transfer(void* slot_of_transfer) {
  Slot& slot = *static_cast<Slot*>(slot_of_transfer);
  const Left left{slot.callback, slot.user_data};
  // UCX may be called back outside of what is recorded.
  if (const std::uint64_t end = prof_begin_library_call(kLibrary)) {
    slot.transfer.end = end;
    slot.transfer.header.flags |= wire::kUcpIsProgress;
    write(slot.transfer);
  }
  give_back(slot);
  return left;
}

void set_bytes(void* slot, std::size_t bytes) {
  static_cast<Slot*>(slot)->transfer.bytes = static_cast<std::int64_t>(bytes);
}

// The callbacks of UCX, by ucx::Callback. A transfer that has failed has a negative status.
void on_sent(void* request, Status status, void* slot) {
  const auto [callback, user_data] = end_transfer(slot);
  if (callback != nullptr)
    reinterpret_cast<decltype(&on_sent)>(callback)(request, status, user_data);
}

void on_received(void* request, Status status, const Received* received, void* slot) {
  if (status == 0 && received != nullptr) {
    set_bytes(slot, received->length);
    static_cast<Slot*>(slot)->transfer.tag = received->tag;
    static_cast<Slot*>(slot)->transfer.header.flags |= wire::kUcpHasTag;
  }
  const auto [callback, user_data] = end_transfer(slot);
  if (callback != nullptr)
    reinterpret_cast<decltype(&on_received)>(callback)(request, status, received, user_data);
}

void on_streamed(void* request, Status status, std::size_t length, void* slot) {
  if (status == 0) set_bytes(slot, length);
  const auto [callback, user_data] = end_transfer(slot);
  if (callback != nullptr)
    reinterpret_cast<decltype(&on_streamed)>(callback)(request, status, length, user_data);
}

void* function_of(Callback callback) {
  switch (callback) {
    case Callback::kReceived:
      return reinterpret_cast<void*>(on_received);
    case Callback::kStreamed:
      return reinterpret_cast<void*>(on_streamed);
    case Callback::kSent:
      break;
  }
  return reinterpret_cast<void*>(on_sent);
}

}  // namespace

wire::UcpTransferRecord transfer_of(Index function, std::uint64_t start, const Word* arguments) {
  const Roles& roles = kFunctions[function].roles;
  wire::UcpTransferRecord record{
      .header = {sizeof record, wire::RecordType::kUcpTransfer, 0, id_of(function)},
      .start = start,
      .end = start,
      .buffer = roles.buffer < 0 ? 0 : arguments[roles.buffer],
      .bytes = bytes_of(roles, arguments),
      .tag = roles.tag < 0 ? 0 : arguments[roles.tag],
      .peer = roles.endpoint < 0 ? 0 : peer_of(arguments[roles.endpoint])};
  if (roles.tag >= 0) record.header.flags |= wire::kUcpHasTag;
  if (record.peer != 0) record.header.flags |= wire::kUcpHasPeer;
  return record;
}

void write(const wire::UcpTransferRecord& record) {
  const auto function = static_cast<Index>(record.header.aux - id_of(Index{}));
  prof_write_library_record(record.header.aux, kFunctions[function].name, &record, sizeof record);
}

Follower::Follower(const wire::UcpTransferRecord& transfer, Callback callback, Word word)
    : param_(word) {
  const auto* given = reinterpret_cast<const RequestParam*>(word);
  if ((given->mask & ~kKnownFields) != 0) return;
  Slot* slot = take_slot();
  if (slot == nullptr) return;
  const bool has_memory = (given->mask & kHasMemory) != 0;
  std::memcpy(&copy_, given, has_memory ? sizeof copy_ : offsetof(RequestParam, memory));
  slot->transfer = transfer;
  slot->callback = (given->mask & kHasCallback) != 0 ? given->callback : nullptr;
  slot->user_data = (given->mask & kHasUserData) != 0 ? given->user_data : nullptr;
  copy_.mask |= kHasCallback | kHasUserData;
  copy_.callback = function_of(callback);
  copy_.user_data = slot;
  slot_ = slot;
  param_ = reinterpret_cast<Word>(&copy_);
}

void Follower::finish(long result) {
  if (slot_ != nullptr && !is_pending(result)) give_back(*static_cast<Slot*>(slot_));
}

}  // namespace prof::ucx
