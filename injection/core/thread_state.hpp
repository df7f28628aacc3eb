// All per-thread data, as plain data in initial-exec TLS. An access is one instruction, never
// allocates, and works in signal handlers. The data has at most 256 bytes: if NVTX or the CUDA
// driver loads the library with dlopen(), the space comes from a small surplus that libc keeps.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/wire/chunk.hpp"
#include "injection/core/function.hpp"

namespace prof::core {

// The push depth is tracked for NVTX domains with ids below this, because nvtxRangePush returns it.
inline constexpr std::uint32_t kTrackedDomains = 32;

// Values that memory is unlikely to have unless it is a ThreadState (foreign_threads.hpp). A state
// that is not set up has neither.
enum Writing : std::uint32_t {
  kIdle = 0x6c9a41e5,
  kWriting = 0x93b7d20f,  // a record is being written: a signal handler must not write another
};
enum Calls : std::uint32_t {
  kRecorded = 0x57e3088d,
  kMuted = 0xa81cf673,  // the thread works for prof (a thread of CUPTI): its calls are not recorded
};

struct Countdown;  // thinning/countdowns.hpp

struct ThreadState {
  std::uint32_t serial;  // live word of this state; 0 before the first record
  Writing writing;
  Calls calls;
  bool gone;                // key destructors have run; nothing is recorded any more
  std::uint8_t key_rounds;  // how often the destructor of the key has postponed itself
  std::uint8_t call_level;  // nesting of the innermost wrapped call in progress
  std::uint8_t capture;     // low byte of the number of the capture range that counters are for
  std::byte* cursor;        // next record
  std::byte* limit;         // end of the chunk
  wire::ChunkHeader* chunk;
  std::uintptr_t call_frame;       // stack pointer in the innermost wrapped call; 0 = none
  std::uint64_t claim_not_before;  // a failed claim is not repeated before this time
  std::uint32_t chunk_index;
  std::uint32_t tid;
  std::uint8_t claims;      // chunks taken so far; stays at 255
  std::uint8_t cuda_depth;  // CUDA runtime calls in progress
  std::uint8_t collection;  // low byte of the number of the collection that the state belongs to
  bool in_cupti;            // inside a call of CUPTI that prof made
  bool calls_cuda;          // the thread has made a CUDA call
  std::uint8_t gil;   // whether the thread waits for Python's lock or holds it (python/gil.cpp)
  bool hides_signal;  // the program believes that it has blocked the sampler's signal
  // Number of the thread's stack in nvtx/capture/open_ranges.cpp; 0: none.
  std::uint8_t open_ranges;
  std::uint16_t timer;    // number of the sampler's timer (sampler/timers.hpp); 0: none
  std::uint16_t sharers;  // mask of children that use this state too (record/shared_state.hpp)
  std::uint16_t push_depth[kTrackedDomains];
  std::uint32_t cloned_graph;        // the graph whose nodes are being cloned (cuda/graphs.cpp)
  const ThreadState* self;           // where this state was set up
  wire::ShortCallCounter* counters;  // end of the chunk: counter number n lies n counters below
  Countdown* countdowns;             // by function; null: this thread thins nothing
  // The numbers of the counters in this chunk, by slot_of() the function; 0: none. A slot that
  // functions share has the number of the last one that was looked up (record/short_calls.hpp).
  std::uint8_t counter_of[kCounterSlots];
};
static_assert(sizeof(ThreadState) <= 256);

extern __thread ThreadState t_state __attribute__((tls_model("initial-exec")));

}  // namespace prof::core
