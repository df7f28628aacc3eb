#include "injection/core/symbols/object_walk.hpp"

#include <atomic>
#include <cstdint>

#include "injection/core/machine/machine.hpp"
#include "injection/core/syscalls.hpp"

// glibc's implementation of pthread_atfork. Weak: musl, whose loader also preloads this library,
// has no such function. prof attaches to no program with musl.
extern "C" int __register_atfork(void (*prepare)(), void (*parent)(), void (*child)(),
                                 void* library) noexcept;
#pragma weak __register_atfork
extern "C" __attribute__((visibility("hidden"))) void* __dso_handle;

namespace prof::core {

namespace {

constexpr long kPauseNs = 50'000;
constexpr int kPauses = 2000;
constexpr int kLooks = 3'000'000;  // takes some 0.1 s

std::atomic<std::uint32_t> g_walks;  // number of walks in progress on threads of this process
std::atomic<std::uint32_t> g_forks;

void decrement(std::atomic<std::uint32_t>& count) {
  std::uint32_t value = count.load();
  while (value != 0 && !count.compare_exchange_weak(value, value - 1)) {
  }
}

// Waits for walks. A child of a clone() system call can inherit a count that nobody decrements; it
// waits once. The program's thread makes no system call for prof, because a filter may forbid it.
void before_fork() {
  g_forks.fetch_add(1);
  for (int i = 0; g_walks.load() != 0; ++i) {
    if (i == kLooks) return g_walks.store(0);
    machine::pause();
  }
}

void after_fork_in_parent() { decrement(g_forks); }

void after_fork_in_child() {
  g_forks.store(0);
  g_walks.store(0);
}

// Begins a walk after all forks that have begun.
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
  if (&__register_atfork == nullptr) return;
  static const int registered =
      __register_atfork(before_fork, after_fork_in_parent, after_fork_in_child, &__dso_handle);
  static_cast<void>(registered);
}

ForksWait::ForksWait() { begin_walk(); }

ForksWait::~ForksWait() { decrement(g_walks); }

int walk_objects(ObjectVisitor visit, void* data) {
  const ForksWait walk;
  return dl_iterate_phdr(visit, data);
}

}  // namespace prof::core
