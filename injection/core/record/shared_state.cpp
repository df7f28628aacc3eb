#include "injection/core/record/shared_state.hpp"

#include <atomic>

#include "injection/core/doors.hpp"
#include "injection/core/record/record_writer.hpp"

namespace prof::core {

namespace {

constexpr int kMaxChildren = 8 * sizeof(ThreadState::sharers);

std::atomic<int> g_is_there[kMaxChildren];  // the kernel clears these
std::atomic<std::uint16_t> g_taken;  // mask of the words in use; each thread clears its own bits
static_assert(sizeof g_is_there[0] == sizeof(int));

constexpr std::uint16_t bit_of(int index) { return static_cast<std::uint16_t>(1U << index); }

}  // namespace

int* share_state() {
  ThreadState& t = t_state;
  for (int i = 0; i < kMaxChildren; ++i) {
    if ((g_taken.fetch_or(bit_of(i), std::memory_order_relaxed) & bit_of(i)) != 0) continue;
    g_is_there[i].store(1, std::memory_order_relaxed);
    // This is atomic, because a child may make a child at the same time.
    std::atomic_ref(t.sharers).fetch_or(bit_of(i), std::memory_order_relaxed);
    release_chunk();
    return reinterpret_cast<int*>(&g_is_there[i]);
  }
  return nullptr;
}

bool resume_after_children(ThreadState& thread) {
  for (int i = 0; i < kMaxChildren; ++i)
    if ((thread.sharers & bit_of(i)) != 0 && g_is_there[i].load(std::memory_order_acquire) != 0)
      return false;
  g_taken.fetch_and(static_cast<std::uint16_t>(~thread.sharers), std::memory_order_relaxed);
  thread.sharers = 0;
  // The child may have left these values in the middle of a call.
  thread.call_frame = 0;
  thread.call_level = 0;
  g_doors.thread_begins(thread);
  return true;
}

}  // namespace prof::core
