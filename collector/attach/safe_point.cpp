#include "collector/attach/safe_point.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>

#include <algorithm>
#include <cstring>
#include <fstream>

namespace prof::attach {

namespace {

// pthread_create, its signals and the frame that prof writes need this much.
constexpr std::uint64_t kStackBytes = 64 * 1024;
constexpr std::uint64_t kMostScanned = 512 * 1024;

// Threads wait in these for the outside world, or sleep. All are called by functions of libc that
// only make the call. Reading and writing of files is not here: buffered streams hold locks then,
// which do no harm, but the wait is short.
constexpr long kWaits[] = {
    SYS_read,       SYS_poll,         SYS_ppoll,         SYS_select,          SYS_pselect6,
    SYS_epoll_wait, SYS_epoll_pwait,  SYS_epoll_pwait2,  SYS_nanosleep,       SYS_clock_nanosleep,
    SYS_accept,     SYS_accept4,      SYS_recvfrom,      SYS_recvmsg,         SYS_wait4,
    SYS_waitid,     SYS_pause,        SYS_rt_sigsuspend, SYS_rt_sigtimedwait, SYS_connect,
    SYS_sendto,     SYS_sendmsg,      SYS_flock,         SYS_semop,           SYS_semtimedop,
    SYS_msgrcv,     SYS_io_getevents,
};

// Condition variables, semaphores and joins wait with this one; malloc and the loader with
// FUTEX_WAIT.
bool is_wait_of_program(std::uint64_t operation) {
  return (operation & FUTEX_CMD_MASK) == FUTEX_WAIT_BITSET;
}

}  // namespace

SafePoints::SafePoints(pid_t process, const TargetMemory& memory, std::uint64_t return_from_handler)
    : process_(process),
      memory_(memory),
      libc_(memory.module_named("libc.so")),
      return_from_handler_(return_from_handler) {
  for (const Module& module : memory.modules()) {
    const std::string name = module.file_name();
    if (&module == libc_ || name.starts_with("ld-") || memory.find(module, "malloc"))
      unsafe_.push_back(&module);
  }
}

bool SafePoints::waits_safely(std::int64_t system_call, std::uint64_t operation,
                              std::uint64_t instruction) const {
  if (libc_ == nullptr || !libc_->has(instruction)) return false;
  if (system_call == SYS_futex) return is_wait_of_program(operation);
  return std::find(std::begin(kWaits), std::end(kWaits), system_call) != std::end(kWaits);
}

bool SafePoints::runs_safely(std::uint64_t instruction) const {
  const Module* module = memory_.module_at(instruction);
  return module != nullptr && std::find(unsafe_.begin(), unsafe_.end(), module) == unsafe_.end();
}

// "running", or: number, six arguments, stack pointer, instruction pointer.
bool SafePoints::is_promising(pid_t thread, bool may_run) const {
  std::ifstream file("/proc/" + std::to_string(process_) + "/task/" + std::to_string(thread) +
                     "/syscall");
  std::string first;
  if (!(file >> first)) return false;
  if (first == "running") return may_run;
  std::uint64_t values[8] = {};
  for (std::uint64_t& value : values) {
    std::string text;
    if (!(file >> text)) return false;
    value = std::strtoull(text.c_str(), nullptr, 16);
  }
  return waits_safely(std::strtol(first.c_str(), nullptr, 10), values[1], values[7]);
}

// The control block of a thread lies at the end of its stack. The main thread's does not.
bool SafePoints::is_on_own_stack(pid_t thread, const ptrace::Registers& registers) const {
  const Mapping* stack = memory_.mapping_at(registers.stack());
  if (stack == nullptr) return false;
  if (thread == process_) return stack->path == "[stack]";
  const std::uint64_t thread_pointer = registers.values().fs_base;
  return stack->has(thread_pointer) && registers.stack() < thread_pointer &&
         registers.stack() - stack->begin > kStackBytes;
}

bool SafePoints::is_in_handler(const ptrace::Registers& registers) const {
  const Mapping* stack = memory_.mapping_at(registers.stack());
  const std::uint64_t bytes = std::min(stack->end - registers.stack(), kMostScanned) / 8 * 8;
  std::vector<std::uint64_t> words(bytes / 8);
  if (!memory_.memory().read(registers.stack(), std::as_writable_bytes(std::span(words))))
    return true;
  return std::find(words.begin(), words.end(), return_from_handler_) != words.end();
}

bool SafePoints::is_safe(pid_t thread, const ptrace::Registers& registers, bool may_run) const {
  if (!is_on_own_stack(thread, registers) || is_in_handler(registers)) return false;
  if (registers.system_call() >= 0)
    return waits_safely(registers.system_call(), registers.argument(1), registers.instruction());
  return may_run && runs_safely(registers.instruction());
}

}  // namespace prof::attach
