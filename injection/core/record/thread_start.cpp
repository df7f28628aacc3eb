#include "injection/core/record/thread_start.hpp"

#include "injection/core/layout.hpp"

namespace prof::core {

namespace {
constexpr std::uint32_t kMaxStarts = 256;
PROF_SELDOM constinit ThreadStart g_starts[kMaxStarts];
constinit std::atomic<std::uint32_t> g_next{0};
}  // namespace

ThreadStart* take_thread_start() {
  if (!has_feature(wire::kFeatureCpuSampling) || live_word() < wire::kFirstSerial) return nullptr;
  for (std::uint32_t i = 0; i < kMaxStarts; ++i) {
    ThreadStart& start = g_starts[g_next.fetch_add(1, std::memory_order_relaxed) % kMaxStarts];
    if (!start.taken.exchange(true, std::memory_order_acquire)) return &start;
  }
  return nullptr;
}

}  // namespace prof::core
