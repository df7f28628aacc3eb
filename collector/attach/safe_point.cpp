#include "collector/attach/safe_point.hpp"

#include <linux/futex.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <span>

#include "collector/attach/filters.hpp"
#include "collector/ptrace/call_number.hpp"
#include "collector/ptrace/interrupted_call.hpp"

namespace prof::attach {

namespace {

constexpr std::uint64_t kMaxScanned = 512 * 1024;

// System calls in which threads wait for the outside world, or sleep. The functions of libc that
// make them do nothing else. Reads and writes of files are missing: buffered streams hold locks
// then, which do no harm, but the wait is short. Sends are missing, too: a stop makes a send return
// when only a part has been sent.
constexpr long kWaits[] = {
    SYS_read,       SYS_poll,         SYS_ppoll,         SYS_select,          SYS_pselect6,
    SYS_epoll_wait, SYS_epoll_pwait,  SYS_epoll_pwait2,  SYS_nanosleep,       SYS_clock_nanosleep,
    SYS_accept,     SYS_accept4,      SYS_recvfrom,      SYS_recvmsg,         SYS_wait4,
    SYS_waitid,     SYS_pause,        SYS_rt_sigsuspend, SYS_rt_sigtimedwait, SYS_connect,
    SYS_flock,      SYS_semop,        SYS_semtimedop,    SYS_msgrcv,          SYS_msgsnd,
    SYS_fcntl,      SYS_io_getevents, SYS_mq_timedsend,  SYS_mq_timedreceive,
};

// True for calls that a stop makes return with only a part of the data that they wait for.
bool waits_for_all(const ptrace::WaitingCall& call) {
  return (call.number == SYS_recvfrom && (call.arguments[3] & MSG_WAITALL) != 0) ||
         (call.number == SYS_recvmsg && (call.arguments[2] & MSG_WAITALL) != 0);
}

// True for calls that the kernel does not restart by itself after a stop.
bool may_fail(pid_t thread, const ptrace::WaitingCall& call) {
  return call.number == SYS_semop || ptrace::may_fail_in_time(thread, call);
}

// True for FUTEX_WAIT_BITSET, with which condition variables, semaphores and joins wait; malloc and
// the loader use FUTEX_WAIT.
bool is_wait_of_program(std::uint64_t operation) {
  return (operation & FUTEX_CMD_MASK) == FUTEX_WAIT_BITSET;
}

constexpr std::size_t kSyscallBytes = 2;
constexpr std::size_t kCodeBefore = 24;  // bytes up to the end of a system call
// Where the instruction of the system call begins.
constexpr std::size_t kEnd = kCodeBefore - kSyscallBytes;
using Code = std::array<unsigned char, kCodeBefore + kSyscallBytes>;

bool is_system_call(const unsigned char* code) { return code[0] == 0x0f && code[1] == 0x05; }

// True if the code ends with these bytes at that offset.
template <std::size_t kBytes>
bool has_before(const Code& code, std::size_t end, const unsigned char (&bytes)[kBytes]) {
  return std::equal(std::begin(bytes), std::end(bytes), &code[end - kBytes]);
}

// Reads the number of the system call from the stack: in a process with one thread, glibc 2.41
// loads it by mov OFFSET(%rsp), %rax.
std::optional<std::int64_t> number_on_stack(const Code& code, std::uint64_t stack,
                                            const ptrace::Memory& memory) {
  constexpr unsigned char kLoad[] = {0x48, 0x8b, 0x44, 0x24};
  constexpr std::size_t kOffset = kEnd - 1;
  std::int64_t number = 0;
  if (!has_before(code, kOffset, kLoad) || !memory.read(stack + code[kOffset], number))
    return std::nullopt;
  return number;
}

// True for the frame of a handler that returned long ago: something else has been written over it,
// and rt_sigreturn would not accept it any more.
bool is_left_over(const SignalFrame& frame, const ptrace::Registers& registers,
                  const Mapping& stack) {
  constexpr std::uint64_t kKnownFlags = 7, kCodeSegment = 0xffff;
  const auto segment = static_cast<std::uint64_t>(frame.registers.gregs[REG_CSGSFS]) & kCodeSegment;
  const auto vectors = reinterpret_cast<std::uint64_t>(frame.registers.fpregs);
  return (frame.flags & ~kKnownFlags) != 0 || segment != registers.values().cs ||
         (vectors != 0 && !stack.has(vectors));
}

}  // namespace

SafePoints::SafePoints(pid_t process, const TargetMemory& memory, std::uint64_t return_from_handler)
    : process_(process),
      memory_(memory),
      libc_(memory.module_named("libc.so")),
      return_from_handler_(return_from_handler) {
  if (libc_ != nullptr) change_mask_ = memory.find(*libc_, "pthread_sigmask").value_or(0);
  for (const Module& module : memory.modules()) {
    const std::string name = module.file_name();
    if (&module == libc_ || name.starts_with("ld-") || memory.find(module, "malloc"))
      unsafe_.push_back(&module);
  }
}

// After an earlier stop, a call with a time limit can go on as restart_syscall: poll, nanosleep,
// clock_nanosleep or futex. No lock of malloc or the loader has a time limit.
bool SafePoints::waits_safely(std::int64_t system_call, std::uint64_t operation,
                              std::uint64_t instruction) const {
  if (libc_ == nullptr || !libc_->has(instruction)) return false;
  if (system_call == SYS_restart_syscall) return true;
  if (system_call == SYS_futex) return is_wait_of_program(operation);
  return std::find(std::begin(kWaits), std::end(kWaits), system_call) != std::end(kWaits);
}

bool SafePoints::runs_safely(std::uint64_t instruction) const {
  const Module* module = memory_.module_at(instruction);
  return module != nullptr && std::find(unsafe_.begin(), unsafe_.end(), module) == unsafe_.end();
}

// Returns how much a stop disturbs the thread, or nothing if the thread cannot be at a safe point.
// A thread that computes comes last: it may be anywhere in malloc.
std::optional<int> SafePoints::disturbance(pid_t thread, bool may_run) const {
  enum { kNone, kRestartedByProf, kRuns };
  if (is_confined(thread)) return {};
  const auto call = ptrace::waiting_call(thread);
  if (!call) return may_run ? std::optional<int>(kRuns) : std::nullopt;
  if (!waits_safely(call->number, call->arguments[1], call->instruction) || waits_for_all(*call))
    return {};
  return may_fail(thread, *call) ? kRestartedByProf : kNone;
}

std::vector<pid_t> SafePoints::promising(const std::vector<pid_t>& threads, bool may_run) const {
  std::vector<std::pair<int, pid_t>> found;
  for (const pid_t thread : threads)
    if (const auto order = disturbance(thread, may_run)) found.emplace_back(*order, thread);
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<pid_t> ordered;
  for (const auto& [order, thread] : found) ordered.push_back(thread);
  return ordered;
}

// The control block of a thread lies at the end of its stack, except for a program's first thread.
// In a child that another thread forked, the main thread goes on on that thread's stack.
bool SafePoints::is_on_own_stack(pid_t thread, const ptrace::Registers& registers) const {
  const Mapping* stack = memory_.mapping_at(registers.stack());
  if (stack == nullptr) return false;
  if (stack->path == "[stack]") return thread == process_;
  const std::uint64_t thread_pointer = registers.values().fs_base;
  return stack->has(thread_pointer) && registers.stack() < thread_pointer;
}

bool SafePoints::are_handlers_safe(const ptrace::Registers& registers, bool may_run) const {
  const Mapping* stack = memory_.mapping_at(registers.stack());
  const auto read = memory_.stack_words(registers.stack(), kMaxScanned);
  if (!read) return false;
  const std::vector<std::uint64_t>& words = *read;
  constexpr std::size_t kFrameWords = sizeof(SignalFrame) / 8;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] != return_from_handler_) continue;
    SignalFrame frame{};
    if (words.size() - i < kFrameWords) return false;
    std::memcpy(&frame, &words[i], sizeof frame);
    if (is_left_over(frame, registers, *stack)) continue;
    if (!was_safe(frame, may_run)) return false;
  }
  return true;
}

// Judges an interrupted system call. Its instruction comes next if the kernel restarts it, else it
// was the last one. In the latter case the register no longer has its number, but libc's code loads
// the number before, from a constant or from the stack.
bool SafePoints::was_safe(const SignalFrame& frame, bool may_run) const {
  const auto& general = frame.registers.gregs;
  const auto next = static_cast<std::uint64_t>(general[REG_RIP]);
  const auto operation = static_cast<std::uint64_t>(general[REG_RSI]);
  if (libc_ == nullptr || !libc_->has(next)) return may_run && runs_safely(next);
  constexpr std::uint64_t kMaskBytes = 256;
  if (change_mask_ != 0 && next - change_mask_ < kMaskBytes) return true;
  Code code{};
  if (!memory_.memory().read(next - kCodeBefore, std::as_writable_bytes(std::span(code))))
    return false;
  if (is_system_call(&code[kCodeBefore])) return waits_safely(general[REG_RAX], operation, next);
  if (!is_system_call(&code[kEnd])) return false;
  // glibc 2.41 and later make each call that is a cancellation point in one function, whose last
  // instruction before the call is mov %r11, 8(%rsp). malloc and the loader make no such calls.
  constexpr unsigned char kCancellable[] = {0x4c, 0x89, 0x5c, 0x24, 0x08};
  if (has_before(code, kEnd, kCancellable)) return true;
  auto number =
      number_on_stack(code, static_cast<std::uint64_t>(general[REG_RSP]), memory_.memory());
  if (!number) {
    constexpr std::uint32_t kNumbers = 1024;
    number = ptrace::number_in(std::as_bytes(std::span(code)).first(kEnd),
                               [](std::uint32_t each) { return each < kNumbers; });
  }
  return number && waits_safely(*number, operation, next);
}

bool SafePoints::is_safe(pid_t thread, const ptrace::Registers& registers, bool may_run) const {
  if (is_confined(thread) || !is_on_own_stack(thread, registers) ||
      !are_handlers_safe(registers, may_run))
    return false;
  if (registers.system_call() >= 0)
    return waits_safely(registers.system_call(), registers.argument(1), registers.instruction());
  return may_run && runs_safely(registers.instruction());
}

}  // namespace prof::attach
