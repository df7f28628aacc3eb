#include "injection/core/symbols/object_walk.hpp"

#include <pthread.h>

#include <atomic>
#include <cstdint>

#include "injection/core/syscalls.hpp"

namespace prof::core {

namespace {

constexpr long kPauseNs = 50'000;
constexpr int kPauses = 2000;

std::atomic<std::uint32_t> g_walks;  // on threads of this process, now
std::atomic<std::uint32_t> g_forks;

void decrement(std::atomic<std::uint32_t>& count) {
  std::uint32_t value = count.load();
  while (value != 0 && !count.compare_exchange_weak(value, value - 1)) {
  }
}

// A child of a clone() system call can inherit a count that nobody decrements. It waits once.
void before_fork() {
  g_forks.fetch_add(1);
  for (int i = 0; g_walks.load() != 0; ++i) {
    if (i == kPauses) return g_walks.store(0);
    sys::sleep_ns(kPauseNs);
  }
}

void after_fork_in_parent() { decrement(g_forks); }

void after_fork_in_child() {
  g_forks.store(0);
  g_walks.store(0);
}

// A fork that has begun comes first.
void begin_walk() {
  for (int i = 0; i < kPauses; ++i) {
    g_walks.fetch_add(1);
    if (g_forks.load() == 0) return;
    decrement(g_walks);
    sys::sleep_ns(kPauseNs);
  }
  g_walks.fetch_add(1);
}

}  // namespace

void make_forks_wait_for_walks() {
  static const int done = pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
  static_cast<void>(done);
}

int walk_objects(ObjectVisitor visit, void* data) {
  begin_walk();
  const int result = dl_iterate_phdr(visit, data);
  decrement(g_walks);
  return result;
}

}  // namespace prof::core
