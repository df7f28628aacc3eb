// Appends records to the calling thread's chunk. No lock, no system call, no allocation, no errno;
// safe in signal handlers and in the child of fork. A record that cannot be written is dropped and
// counted by cause in the process's slot of the arena.
#pragma once

#include <atomic>
#include <cstring>

#include "injection/core/live.hpp"
#include "injection/core/process_state.hpp"
#include "injection/core/thread_state.hpp"
#include "injection/wire/records.hpp"

namespace prof::core {

void count_drop(wire::DropCause cause, std::uint64_t events = 1);

// Slow path: joins after fork, adopts a new thread, replaces a full chunk. Afterwards `size` bytes
// fit at t.cursor, or it returns false (dropped and counted, or not traced at all).
bool prepare_chunk(ThreadState& t, std::uint32_t size);

// Would a record of `size` bytes find a place now? For those who can afford to wait for one: others
// may take it first. True where nothing is recorded anyway.
bool has_room(std::uint32_t size);

// May something large that is worth less than events be recorded? Not if it takes a new chunk while
// half of them are in use, as far as is known without looking.
bool leaves_room(std::uint32_t size);

// Sets up the calling thread now instead of at its first record.
void adopt_thread();

// In a fork child that has recorded nothing yet: makes it known to the collector. Does nothing in
// any other process.
void introduce_fork_child();

// Hands the calling thread's chunk back; at its next record it gets another.
void release_chunk();

// The same for good; called when the thread ends.
void retire_thread();

// Room for `size` bytes (a multiple of 8), or null. What is written there becomes visible with
// end_record(); nothing else may be recorded by this thread in between.
inline std::byte* begin_record(std::uint32_t size) {
  ThreadState& t = t_state;
  if (t.inside) [[unlikely]] {
    count_drop(wire::DropCause::kReentered);
    return nullptr;
  }
  t.inside = true;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  if (t.serial != live_word() || static_cast<std::size_t>(t.limit - t.cursor) < size) [[unlikely]] {
    if (!prepare_chunk(t, size)) {
      t.inside = false;
      return nullptr;
    }
  }
  return t.cursor;
}

inline void end_record(std::uint32_t size) {
  ThreadState& t = t_state;
  t.cursor += size;
  // Pairs with the collector's acquire load: below `committed`, records are complete.
  t.chunk->committed.store(
      static_cast<std::uint32_t>(t.cursor - reinterpret_cast<std::byte*>(t.chunk + 1)),
      std::memory_order_release);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  t.inside = false;
}

template <class Record>
inline bool append(const Record& record) {
  static_assert(wire::kIsRecord<Record>);
  std::byte* place = begin_record(sizeof(Record));
  if (place == nullptr) [[unlikely]]
    return false;
  std::memcpy(place, &record, sizeof(Record));
  end_record(sizeof(Record));
  return true;
}

template <class Record>
constexpr wire::RecordHeader header_of(wire::RecordType type, std::uint32_t aux = 0,
                                       std::uint8_t flags = 0) {
  return {static_cast<std::uint16_t>(sizeof(Record)), type, flags, aux};
}

}  // namespace prof::core
