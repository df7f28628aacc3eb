// All that is kept per thread: plain data in initial-exec TLS, so that reaching it is one
// instruction, never allocates and works in signal handlers. At most 256 bytes, because a library
// that NVTX or the CUDA driver dlopen()s draws this from a small surplus (pitfall 4.14).
#pragma once

#include <cstddef>
#include <cstdint>

#include "injection/wire/chunk.hpp"

namespace prof::core {

// NVTX domains with ids below this have their push depth tracked for nvtxRangePush's result.
inline constexpr std::uint32_t kTrackedDomains = 32;

struct ThreadState {
  std::uint32_t serial;     // live word this state belongs to; 0 before the first record
  bool inside;              // our own writing is in progress: a signal handler must not write
  bool gone;                // key destructors have run
  std::uint8_t key_rounds;  // times the key destructor put itself off
  std::uint8_t call_level;  // nesting of the innermost wrapped call in progress
  std::byte* cursor;        // next record
  std::byte* limit;         // end of the chunk
  wire::ChunkHeader* chunk;
  std::uintptr_t call_frame;       // stack pointer in the innermost wrapped call; 0 = none
  std::uint64_t claim_not_before;  // after a failed claim: do not look again before this time
  std::uint32_t chunk_index;
  std::uint32_t tid;
  std::uint8_t claims;  // chunks taken so far; stays at 255
  bool muted;           // a thread of a library that works for us: its calls are not the program's
  std::uint8_t cuda_depth;  // CUDA runtime calls in progress
  bool in_cupti;            // inside a call of CUPTI that we made
  bool calls_cuda;          // it has made a CUDA call
  std::uint8_t gil;         // python/gil.cpp: whether it waits for Python's lock or holds it
  bool hides_signal;        // the program has blocked the sampler's signal, or thinks so
  std::uint16_t timer;      // of the sampler's, see sampler/timers.hpp; 0: none
  std::uint16_t sharers;    // see shared_state.hpp
  std::uint16_t push_depth[kTrackedDomains];
};
static_assert(sizeof(ThreadState) <= 256);

extern __thread ThreadState t_state __attribute__((tls_model("initial-exec")));

}  // namespace prof::core
