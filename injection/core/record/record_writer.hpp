// Appends records to the calling thread's chunk. Takes no lock, allocates nothing on the heap, and
// does not change errno, so it is safe in signal handlers and in fork children. It makes a system
// call only if no chunk is left (arena_room.hpp). A record that cannot be written is dropped, and
// counted by cause in the process's slot of the arena.
#pragma once

#include <atomic>
#include <cstring>

#include "common/wire/records.hpp"
#include "common/wire/thinning_records.hpp"
#include "injection/core/foreign_threads.hpp"
#include "injection/core/live.hpp"
#include "injection/core/process_state.hpp"
#include "injection/core/quiet_call.hpp"
#include "injection/core/thread_state.hpp"

namespace prof::core {

void count_drop(wire::DropCause cause, std::uint64_t events = 1);

// The slow path. It joins the session after a fork, sets up a new thread, and replaces a full
// chunk. Afterwards `size` bytes fit at t.cursor. Returns false if the record is dropped (it is
// then counted), or if the process is not traced.
bool prepare_chunk(ThreadState& t, std::uint32_t size);

// Gives the thread's chunk, if it has one, back to the collector. Call it only in the process of
// the chunk.
void retire_chunk(ThreadState& t);

// True if a record of `size` bytes fits now. For callers that can wait for space; another thread
// may take it first. Also true if nothing is recorded at all.
bool has_room(std::uint32_t size);

// True if something large that matters less than events may be recorded. False if it needs a new
// chunk and half of the chunks are in use, according to the hint in the arena.
bool leaves_room(std::uint32_t size);

// For a thread whose state is not idle: true if it cannot write a record now, because it is foreign
// or already writes one. Sets up the state of a new thread.
bool is_busy();

// Sets up the calling thread now instead of at its first record.
void adopt_thread();

// Makes a fork child that has recorded nothing yet known to the collector. Does nothing in any
// other process.
void introduce_fork_child();

// Gives the calling thread's chunk back. The thread's next record claims another chunk.
void release_chunk();

// Gives the chunk back when the thread ends. The thread records nothing afterwards.
void retire_thread();

// Returns space for `size` bytes (a multiple of 8), or null. The record becomes visible with
// end_record(). The thread must not write another record in between. Call it only on a thread that
// is known not to be foreign.
[[gnu::always_inline]] inline std::byte* begin_record_here(std::uint32_t size) {
  ThreadState& t = t_state;
  if (t.writing != kIdle && call_quietly(is_busy)) [[unlikely]]
    return nullptr;
  t.writing = kWriting;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  // The difference is signed: a thread that shares this state without our knowledge may have moved
  // the cursor.
  if (t.serial != live_word() || t.limit - t.cursor < static_cast<std::ptrdiff_t>(size))
      [[unlikely]] {
    if (!prepare_chunk(t, size)) {
      t.writing = kIdle;
      return nullptr;
    }
  }
  return t.cursor;
}

// Like begin_record_here(), on any thread. Returns null on a foreign thread.
inline std::byte* begin_record(std::uint32_t size) {
  return is_foreign_thread() ? nullptr : begin_record_here(size);
}

inline void end_record(std::uint32_t size) {
  ThreadState& t = t_state;
  t.cursor += size;
  // Pairs with the collector's acquire load: records below `committed` are complete.
  t.chunk->committed.store(
      static_cast<std::uint32_t>(t.cursor - reinterpret_cast<std::byte*>(t.chunk + 1)),
      std::memory_order_release);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  t.writing = kIdle;
}

template <class Record>
constexpr wire::RecordHeader header_of(wire::RecordType type, std::uint32_t aux = 0,
                                       std::uint8_t flags = 0) {
  return {static_cast<std::uint16_t>(sizeof(Record)), type, flags, aux};
}

// Call it only on a thread that is known not to be foreign.
template <class Record>
[[gnu::always_inline]] inline bool append_here(const Record& record) {
  static_assert(wire::kIsRecord<Record>);
  std::byte* place = begin_record_here(sizeof(Record));
  if (place == nullptr) [[unlikely]]
    return false;
  std::memcpy(place, &record, sizeof(Record));
  end_record(sizeof(Record));
  return true;
}

// Appends a record that stands for `weight` events (--max-overhead).
template <class Record>
inline bool append_weighted(const Record& record, std::uint32_t weight) {
  static_assert(wire::kIsRecord<Record>);
  constexpr auto kSize = static_cast<std::uint32_t>(sizeof(wire::WeightRecord) + sizeof(Record));
  std::byte* place = begin_record_here(kSize);
  if (place == nullptr) return false;
  const wire::WeightRecord before{header_of<wire::WeightRecord>(
      wire::RecordType::kWeight, weight, static_cast<std::uint8_t>(record.header.type))};
  std::memcpy(place, &before, sizeof before);
  std::memcpy(place + sizeof before, &record, sizeof record);
  end_record(kSize);
  return true;
}

template <class Record>
inline bool append(const Record& record) {
  return !is_foreign_thread() && append_here(record);
}

// Returns the size of a record that `bytes` of data follow.
template <class Record>
constexpr std::uint32_t size_with_data(std::uint32_t bytes) {
  return static_cast<std::uint32_t>(sizeof(Record)) + wire::padded(bytes);
}

// Appends a record that `bytes` of data follow, padded with zeros. Sets the size in the header.
template <class Record>
inline bool append_with_data(Record record, const void* data, std::uint32_t bytes) {
  const std::uint32_t size = size_with_data<Record>(bytes);
  std::byte* place = begin_record(size);
  if (place == nullptr) return false;
  record.header.size = static_cast<std::uint16_t>(size);
  std::memcpy(place, &record, sizeof record);
  if (bytes != 0) std::memcpy(place + sizeof record, data, bytes);
  std::memset(place + sizeof record + bytes, 0, wire::padded(bytes) - bytes);
  end_record(size);
  return true;
}

}  // namespace prof::core
