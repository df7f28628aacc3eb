#include "collector/live/thread_copy.hpp"

#include <errno.h>
#include <sys/syscall.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <optional>
#include <span>
#include <sstream>
#include <string_view>
#include <thread>

#include "collector/base/proc_ids.hpp"
#include "collector/live/proc_file.hpp"
#include "collector/ptrace/memory.hpp"
#include "collector/ptrace/seized_thread.hpp"

namespace prof::live {

namespace {

constexpr std::size_t kMostThreads = 10000;
// A thread that waits in the kernel in a way that cannot be interrupted does not stop at all.
constexpr std::chrono::milliseconds kLongestWait{200};
// More is copied of no stack. It takes some 200 us.
constexpr std::uint64_t kLargestCopy = 1 << 20;

unwind::Registers to_unwind(const user_regs_struct& from) {
  unwind::Registers to;
  const std::uint64_t values[] = {from.rax, from.rdx, from.rcx, from.rbx, from.rsi, from.rdi,
                                  from.rbp, from.rsp, from.r8,  from.r9,  from.r10, from.r11,
                                  from.r12, from.r13, from.r14, from.r15, from.rip};
  static_assert(std::size(values) == unwind::kRegisterCount);
  for (unsigned i = 0; i < unwind::kRegisterCount; ++i) to.set(i, values[i]);
  return to;
}

// What the kernel leaves in the result of a system call that a stop has interrupted.
bool is_interrupted(const ptrace::Registers& registers) {
  constexpr std::int64_t kFirstRestart = -516, kLastRestart = -512;  // ERESTART…, not for programs
  const std::int64_t result = registers.result();
  return registers.system_call() >= 0 &&
         ((result >= kFirstRestart && result <= kLastRestart) || result == -EINTR);
}

// A system call that an earlier stop interrupted goes on under another name. Its number is in the
// instruction before it: mov $NUMBER,%eax.
std::uint32_t first_number(const ptrace::Memory& memory, std::uint64_t instruction) {
  constexpr std::size_t kBefore = 32, kSystemCall = 2, kMove = 5;
  constexpr std::byte kMoveToEax{0xb8};
  std::array<std::byte, kBefore> code{};
  if (!memory.read(instruction - kBefore, std::span<std::byte>(code))) return SYS_restart_syscall;
  for (std::size_t at = kBefore - kSystemCall - kMove + 1; at-- > 0;) {
    std::uint32_t number = 0;
    std::memcpy(&number, &code[at + 1], sizeof number);
    if (code[at] == kMoveToEax && number < 512) return number;
  }
  return SYS_restart_syscall;
}

std::optional<SystemCall> system_call_of(const ptrace::Memory& memory,
                                         const ptrace::Registers& registers) {
  if (!is_interrupted(registers)) return {};
  SystemCall call;
  call.number = static_cast<std::uint32_t>(registers.system_call());
  if (call.number == SYS_restart_syscall)
    call.number = first_number(memory, registers.instruction());
  for (unsigned i = 0; i < call.arguments.size(); ++i) call.arguments[i] = registers.argument(i);
  return call;
}

// The kernel restarts most system calls after a stop. Some, like epoll_wait, would return EINTR,
// which the program may not expect. They are begun again, if no signal is to interrupt them.
void hide_interruption(pid_t pid, ptrace::SeizedThread& thread, const ptrace::Memory& memory,
                       ptrace::Registers registers) {
  constexpr std::uint16_t kSystemCall = 0x050f;
  if (registers.system_call() < 0 || registers.result() != -EINTR) return;
  const std::string status =
      read_proc_file(proc_path(pid, "task/" + std::to_string(thread.id()) + "/status"));
  const auto mask = [&](const char* key) { return number_in(status_value(status, key), 16); };
  const std::uint64_t place = registers.instruction() - sizeof kSystemCall;
  std::uint16_t code = 0;
  if (status.empty() || ((mask("SigPnd") | mask("ShdPnd")) & ~mask("SigBlk")) != 0 ||
      !memory.read(place, code) || code != kSystemCall)
    return;
  registers.values().rip = place;
  registers.values().rax = static_cast<std::uint64_t>(registers.system_call());
  registers.values().orig_rax = ~0ULL;  // the kernel itself has nothing to restart
  static_cast<void>(thread.set_registers(registers));
}

class Copier {
 public:
  Copier(pid_t pid, const std::vector<unwind::MapEvent>& maps, PythonChains* python)
      : pid_(pid), maps_(maps), python_(python), memory_(pid) {}

  // None: the thread has ended.
  std::optional<ThreadCopy> copy(pid_t id) {
    ThreadCopy thread;
    if (!describe(id, thread)) return {};
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
    seized->interrupt();
    if (!seized->wait(kLongestWait)) {
      thread.problem = "did not stop";
      ++failures_;
      return thread;
    }
    if (seized->state() == ptrace::State::kGone) return {};
    if (const auto registers = seized->registers()) {
      take(*registers, thread);
      if (seized->state() == ptrace::State::kInterrupted)
        hide_interruption(pid_, *seized, memory_, *registers);
    } else {
      thread.problem = registers.error().message;
    }
    seized->detach();
    thread.stopped_ns = seized->stopped_ns();
    return thread;
  }

 private:
  // After some threads that did not stop, others that are about to wait in the same way are not
  // waited for.
  static constexpr int kMostFailures = 4;

  // A thread that waits in the kernel in this way stops only when its wait is over. Most such waits
  // are short, so it gets a little time.
  bool is_uninterruptible(pid_t id, ThreadCopy& thread) const {
    constexpr int kLooks = 5;
    for (int i = 0; i < kLooks && thread.state == 'D'; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      describe(id, thread);
    }
    return thread.state == 'D' || failures_ >= kMostFailures;
  }

  // "58 0x… 0x… … SP PC" or "running".
  std::optional<SystemCall> call_of_unstopped(pid_t id) const {
    std::istringstream words(
        read_proc_file(proc_path(pid_, "task/" + std::to_string(id) + "/syscall")));
    SystemCall call;
    if (!(words >> call.number)) return {};
    for (std::uint64_t& each : call.arguments) words >> std::hex >> each;
    return call;
  }

  bool describe(pid_t id, ThreadCopy& thread) const {
    const std::string folder = proc_path(pid_, "task/" + std::to_string(id));
    const std::string status = read_proc_file(folder + "/status");
    if (status.empty()) return false;
    thread.thread = id;
    thread.name = printable(status_value(status, "Name"));
    const std::string_view state = status_value(status, "State");
    if (!state.empty()) thread.state = state[0];
    // "NSpid: 4711 12": the last one is the innermost namespace's.
    const std::string_view ids = status_value(status, "NSpid");
    const std::size_t last = ids.find_last_of(" \t");
    thread.own_id =
        static_cast<pid_t>(number_in(last == std::string_view::npos ? ids : ids.substr(last + 1)));
    return true;
  }

  void take(const ptrace::Registers& registers, ThreadCopy& thread) {
    thread.registers = to_unwind(registers.values());
    thread.call = system_call_of(memory_, registers);
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
  int failures_ = 0;
};

}  // namespace

std::vector<ThreadCopy> copy_threads(pid_t pid, const std::vector<unwind::MapEvent>& maps,
                                     PythonChains* python) {
  Copier copier(pid, maps, python);
  std::vector<ThreadCopy> threads;
  for (const pid_t id : base::ids_in(proc_path(pid, "task"))) {
    if (threads.size() == kMostThreads) break;
    if (auto thread = copier.copy(id)) threads.push_back(std::move(*thread));
  }
  return threads;
}

}  // namespace prof::live
