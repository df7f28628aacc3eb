#include "collector/live/thread_copy.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <span>
#include <string_view>
#include <thread>

#include "collector/live/stopped_call.hpp"
#include "collector/ptrace/memory.hpp"
#include "collector/ptrace/seized_thread.hpp"
#include "common/base/extra_threads.hpp"
#include "common/base/proc_file.hpp"
#include "common/base/proc_ids.hpp"
#include "common/base/text/printable.hpp"

namespace prof::live {

namespace {

constexpr std::size_t kMaxThreads = 10000;
// A thread that waits in the kernel uninterruptibly does not stop at all, so prof waits no longer
// than this.
constexpr std::chrono::milliseconds kLongestWait{200};
// A thread that only waits for a CPU does stop, so prof waits up to this number of times.
constexpr int kMaxWaits = 15;
// The maximum number of bytes that are copied of a stack. They take about 200 us.
constexpr std::uint64_t kLargestCopy = 1 << 20;

class Copier {
 public:
  Copier(pid_t pid, const std::vector<unwind::MapEvent>& maps, PythonChains* python)
      : pid_(pid), maps_(maps), python_(python), memory_(pid) {}

  // Returns nothing if the thread has ended.
  std::optional<ThreadCopy> copy(pid_t id) {
    ThreadCopy thread;
    if (!describe(id, thread) || has_ended(thread)) return {};
    if (is_uninterruptible(id, thread)) {
      thread.problem = "cannot be stopped now";
      thread.call = call_of_unstopped(id);
      return thread;
    }
    auto seized = ptrace::SeizedThread::seize(id);
    if (!seized) {
      thread.problem = seized.error().message;
      return thread;
    }
    const ptrace::BeforeStop before = ptrace::look_before_stop(id);
    seized->interrupt();
    if (!stops(*seized, thread)) {
      thread.problem = "did not stop";
      ++failures_;
      return thread;
    }
    if (seized->state() == ptrace::State::kGone) return {};
    std::optional<ptrace::FailedCall> failed;
    if (const auto registers = seized->registers()) {
      failed = ptrace::failed_call(id, memory_, *registers, before);
      take(*registers, before, failed, thread);
    } else {
      thread.problem = registers.error().message;
    }
    thread.stopped_ns = seized->stopped_ns();
    ptrace::go_on(std::move(*seized), pid_, memory_, failed, resumed_);
    resumed_.poll();
    return thread;
  }

 private:
  // A first thread that has ended stays in the list until all other threads have ended, too.
  static bool has_ended(const ThreadCopy& thread) {
    return thread.state == 'Z' || thread.state == 'X';
  }

  // After this number of threads that did not stop, prof does not wait for another thread in an
  // uninterruptible wait.
  static constexpr int kMaxFailures = 4;

  bool stops(ptrace::SeizedThread& seized, ThreadCopy& thread) const {
    for (int i = 0; i < kMaxWaits; ++i) {
      if (seized.wait(kLongestWait)) return true;
      if (!describe(thread.thread, thread) || thread.state != 'R') return false;
    }
    return false;
  }

  // A thread that waits in the kernel uninterruptibly stops only when its wait is over. Most such
  // waits are short, so prof waits for a moment.
  bool is_uninterruptible(pid_t id, ThreadCopy& thread) const {
    constexpr int kLooks = 5;
    for (int i = 0; i < kLooks && thread.state == 'D'; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      describe(id, thread);
    }
    return thread.state == 'D' || failures_ >= kMaxFailures;
  }

  bool describe(pid_t id, ThreadCopy& thread) const {
    const std::string status = base::read_proc_file(base::proc_path(pid_, id, "status"));
    if (status.empty()) return false;
    thread.thread = id;
    thread.name = base::printable(base::status_value(status, "Name"));
    const std::string_view state = base::status_value(status, "State");
    if (!state.empty()) thread.state = state[0];
    // "NSpid: 4711 12": the last id is that of the innermost namespace.
    const std::string_view ids = base::status_value(status, "NSpid");
    const std::size_t last = ids.find_last_of(" \t");
    thread.own_id = static_cast<pid_t>(
        base::number_in(last == std::string_view::npos ? ids : ids.substr(last + 1)));
    return true;
  }

  void take(const ptrace::Registers& registers, const ptrace::BeforeStop& before,
            const std::optional<ptrace::FailedCall>& failed, ThreadCopy& thread) {
    thread.registers = to_unwind(registers.values());
    thread.call = system_call_of(memory_, registers, before, failed);
    copy_stack(registers.stack(), thread.stack);
    if (python_ != nullptr) thread.python = python_->frames(thread.own_id);
  }

  void copy_stack(std::uint64_t from, std::vector<std::byte>& stack) const {
    constexpr std::uint64_t kUnknownMapping = 4096;
    std::uint64_t size = std::min(kUnknownMapping, kUnknownMapping - from % kUnknownMapping);
    for (const unwind::MapEvent& each : maps_) {
      // The main thread's stack may have grown since the mappings were read.
      const bool has_grown =
          each.path == "[stack]" && from < each.start && each.start - from < kLargestCopy;
      if (has_grown || (from >= each.start && from - each.start < each.length))
        size = each.start + each.length - from;
    }
    stack.resize(std::min(size, kLargestCopy));
    if (!memory_.read(from, std::span(stack))) stack.clear();
  }

  pid_t pid_;
  const std::vector<unwind::MapEvent>& maps_;
  PythonChains* python_;
  ptrace::Memory memory_;
  ptrace::ResumedThreads resumed_;
  int failures_ = 0;
};

}  // namespace

std::vector<ThreadCopy> copy_threads(pid_t pid, const std::vector<unwind::MapEvent>& maps,
                                     PythonChains* python) {
  std::vector<ThreadCopy> threads;
  // The tracing thread ends, so that the kernel releases the threads that may not be interrupted
  // again.
  const auto copy_all = [&] {
    Copier copier(pid, maps, python);
    for (const pid_t id : base::threads_of(pid)) {
      if (threads.size() == kMaxThreads) break;
      if (auto thread = copier.copy(id)) threads.push_back(std::move(*thread));
    }
  };
  std::vector<std::jthread> tracing;
  if (!base::add_thread(tracing, copy_all)) copy_all();
  tracing.clear();  // joins the thread
  return threads;
}

}  // namespace prof::live
