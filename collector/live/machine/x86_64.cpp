#include <errno.h>
#include <sys/syscall.h>

#include <array>
#include <span>

#include "collector/live/stopped_call.hpp"
#include "collector/ptrace/call_number.hpp"

namespace prof::live {

namespace {

// True if the result is one that the kernel leaves in a system call that a stop has interrupted.
bool is_interrupted(const ptrace::Registers& registers) {
  // ERESTART…: internal results, which programs never see.
  constexpr std::int64_t kFirstRestart = -516, kLastRestart = -512;
  const std::int64_t result = registers.result();
  return registers.system_call() >= 0 &&
         ((result >= kFirstRestart && result <= kLastRestart) || result == -EINTR);
}

// True for calls that go on under another name after an earlier stop.
bool may_restart(std::uint32_t number) {
  return number == SYS_poll || number == SYS_nanosleep || number == SYS_clock_nanosleep ||
         number == SYS_futex;
}

std::uint32_t first_number(const ptrace::Memory& memory, std::uint64_t instruction) {
  constexpr std::size_t kBefore = 32, kSystemCall = 2;
  std::array<std::byte, kBefore> code{};
  if (!memory.read(instruction - kBefore, std::span<std::byte>(code))) return SYS_restart_syscall;
  return ptrace::number_in(std::span(code).first(kBefore - kSystemCall), may_restart)
      .value_or(SYS_restart_syscall);
}

}  // namespace

unwind::Registers to_unwind(const user_regs_struct& from) {
  unwind::Registers to;
  const std::uint64_t values[] = {from.rax, from.rdx, from.rcx, from.rbx, from.rsi, from.rdi,
                                  from.rbp, from.rsp, from.r8,  from.r9,  from.r10, from.r11,
                                  from.r12, from.r13, from.r14, from.r15, from.rip};
  static_assert(std::size(values) == unwind::kRegisterCount);
  for (unsigned i = 0; i < unwind::kRegisterCount; ++i) to.set(i, values[i]);
  return to;
}

std::optional<SystemCall> system_call_of(const ptrace::Memory& memory,
                                         const ptrace::Registers& registers,
                                         const ptrace::BeforeStop&,
                                         const std::optional<ptrace::FailedCall>&) {
  if (!is_interrupted(registers)) return {};
  SystemCall call;
  call.number = static_cast<std::uint32_t>(registers.system_call());
  if (call.number == SYS_restart_syscall)
    call.number = first_number(memory, registers.instruction());
  for (unsigned i = 0; i < call.arguments.size(); ++i) call.arguments[i] = registers.argument(i);
  return call;
}

}  // namespace prof::live
