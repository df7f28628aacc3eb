#include "injection/core/call_chain.hpp"

namespace prof::core {

std::atomic<ChainTaker> g_chain_taker;

namespace {
std::atomic<void (*)()> g_search;
}

void set_chain_taker(ChainTaker taker) { g_chain_taker.store(taker, std::memory_order_release); }

void set_chain_search(void (*search)()) { g_search.store(search, std::memory_order_release); }

void search_for_chains() {
  if (const auto search = g_search.load(std::memory_order_acquire)) search();
}

}  // namespace prof::core
