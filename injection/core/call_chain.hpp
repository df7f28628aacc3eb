// The door by which folders that see calls (osrt, cuda) ask for a call chain from those that can
// take one (python).
#pragma once

#include <atomic>
#include <cstdint>

namespace prof::core {

// Takes the calling thread's chain and records it as that of the call that began at `start`, whose
// record comes next. Async-signal-safe, keeps errno.
using ChainTaker = void (*)(std::uint64_t start);
void set_chain_taker(ChainTaker taker);

// Looks again for what it takes chains from: the program may have loaded it by now. Only where the
// loader's lock may be taken.
void set_chain_search(void (*search)());
void search_for_chains();

extern std::atomic<ChainTaker> g_chain_taker;

inline void take_chain(std::uint64_t start) {
  if (const ChainTaker taker = g_chain_taker.load(std::memory_order_acquire)) taker(start);
}

}  // namespace prof::core
