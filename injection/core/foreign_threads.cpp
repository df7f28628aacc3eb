#include "injection/core/foreign_threads.hpp"

#include <atomic>

#include "injection/core/gate.hpp"

namespace prof::core {

namespace {

constexpr std::uint32_t kOneChild = kForeignThreads & -kForeignThreads;
static_assert(kOneChild > wire::library_feature(wire::kLibraries - 1));

std::uint32_t features_of(std::uint32_t asked, std::uint32_t foreign) {
  return foreign == 0 ? asked : (asked & ~(wire::kFeatureOsrt | wire::kFeatureThinning)) | foreign;
}

template <class Change>
void change_features(Change change) {
  const std::atomic_ref<std::uint32_t> features(g_process.features);
  std::uint32_t word = features.load(std::memory_order_relaxed);
  while (!features.compare_exchange_weak(word, change(word), std::memory_order_relaxed)) {
  }
}

// The gates change, too: they must not lead a foreign thread to its countdowns, which it does not
// have.
template <class Change>
void change_foreign(Change change) {
  change_features([&](std::uint32_t word) {
    return features_of(g_process.config.features, change(word & kForeignThreads));
  });
  set_gates();
}

}  // namespace

void begin_foreign_child() {
  change_foreign([](std::uint32_t foreign) {
    return foreign == kForeignThreads ? foreign : foreign + kOneChild;
  });
}

void end_foreign_child() {
  change_foreign([](std::uint32_t foreign) {
    return foreign == kForeignThreads ? foreign : foreign - kOneChild;
  });
}

void expect_foreign_threads() {
  change_foreign([](std::uint32_t) { return kForeignThreads; });
}

void set_features(std::uint32_t asked) {
  asked &= ~kForeignThreads;
  change_features([&](std::uint32_t word) { return features_of(asked, word & kForeignThreads); });
}

void set_up(ThreadState& thread) {
  if (thread.self == &thread) return;
  if (thread.self != nullptr) thread = ThreadState{};
  thread.self = &thread;
  if (thread.writing != kWriting) thread.writing = kIdle;
  if (thread.calls != kMuted) thread.calls = kRecorded;
}

[[gnu::cold, gnu::noinline]] bool is_muted() {
  if (!has_libc_pointer()) return true;
  set_up(t_state);
  return t_state.calls == kMuted;
}

[[gnu::cold, gnu::noinline]] bool find_whether_recorded() {
  return ((g_process.features | g_process.config.features) & wire::kFeatureOsrt) != 0 &&
         !is_muted();
}

}  // namespace prof::core
