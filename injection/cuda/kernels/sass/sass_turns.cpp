#include "injection/cuda/kernels/sass/sass_turns.hpp"

#include <atomic>
#include <cstring>

#include "common/wire/hash.hpp"
#include "injection/core/layout.hpp"

namespace prof::cuda::kernels {

namespace {

// Launches after which one like them is counted by instruction. What does not fit is left out.
constexpr std::size_t kMostTurns = 256;
PROF_SELDOM constinit std::atomic<std::uint64_t> g_turns[kMostTurns]{};  // 0: free
std::atomic<std::size_t> g_num_turns;

// Returns a number for the kernel and the size of the launch; not 0.
std::uint64_t turn_of(const Launch& launch) {
  return (wire::hash_text(launch.name, std::strlen(launch.name)) ^ key_of(launch)) | 1;
}

std::atomic<std::uint64_t>* find_turn(std::uint64_t value) {
  for (auto& turn : g_turns)
    if (turn.load(std::memory_order_relaxed) == value) return &turn;
  return nullptr;
}

}  // namespace

bool has_sass_turn(const Launch& launch) {
  return g_num_turns.load(std::memory_order_relaxed) != 0 && find_turn(turn_of(launch)) != nullptr;
}

void add_sass_turn(const Launch& launch) {
  std::atomic<std::uint64_t>* free = find_turn(0);
  if (free == nullptr) return;
  free->store(turn_of(launch), std::memory_order_relaxed);
  g_num_turns.fetch_add(1, std::memory_order_relaxed);
}

bool takes_sass_turn(const Plan& plan, const Launch& launch) {
  if (plan.num_sass_metrics == 0) return false;
  if (plan.num_metrics == 0) return true;
  std::atomic<std::uint64_t>* const found = find_turn(turn_of(launch));
  if (found == nullptr) return false;
  found->store(0, std::memory_order_relaxed);
  g_num_turns.fetch_sub(1, std::memory_order_relaxed);
  return true;
}

}  // namespace prof::cuda::kernels
