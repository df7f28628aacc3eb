#include "collector/attach/fork_handler.hpp"

#include <algorithm>
#include <chrono>
#include <thread>
#include <vector>

#include "collector/attach/code_page.hpp"
#include "collector/ptrace/waiting_call.hpp"
#include "common/base/proc_file.hpp"
#include "common/base/proc_ids.hpp"

namespace prof::attach {

namespace {

constexpr std::uint64_t kMaxRead = 1 << 20;

bool is_in_page(std::uint64_t address, std::uint64_t page_at) {
  return address - page_at < kPageBytes;
}

bool has_address(const TargetMemory& memory, std::uint64_t stack_pointer, std::uint64_t page_at) {
  const auto words = memory.stack_words(stack_pointer, kMaxRead);
  return !words || words->size() == kMaxRead / sizeof(std::uint64_t) ||
         std::any_of(words->begin(), words->end(),
                     [&](std::uint64_t word) { return is_in_page(word, page_at); });
}

// True for a thread that is surely not in the handler. The thread that prof started waits in the
// page itself, but outside of the handler.
bool is_outside(pid_t thread, const TargetMemory& memory, std::uint64_t page_at) {
  const auto call = ptrace::waiting_call(thread);
  return call && call->number >= 0 &&
         (is_in_page(call->instruction, page_at) || !has_address(memory, call->stack, page_at));
}

}  // namespace

bool have_left_handler(pid_t process, const TargetMemory& memory, std::uint64_t page_at) {
  constexpr int kLooks = 10;
  std::vector<pid_t> threads = base::threads_of(process);
  for (int i = 0; i < kLooks && !threads.empty(); ++i) {
    if (i != 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    std::erase_if(threads, [&](pid_t thread) { return is_outside(thread, memory, page_at); });
  }
  return threads.empty();
}

}  // namespace prof::attach
