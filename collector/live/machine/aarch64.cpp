#include <errno.h>

#include "collector/live/stopped_call.hpp"

namespace prof::live {

namespace {

bool is_call_at(const ptrace::Memory& memory, std::uint64_t place) {
  std::uint32_t code = 0;
  return memory.read(place, code) && ptrace::Registers::is_system_call(code);
}

// The kernel has let the call return EINTR. Its result has replaced the first argument.
bool has_returned(const ptrace::Memory& memory, const ptrace::Registers& registers,
                  const std::optional<SystemCall>& before) {
  return registers.result() == -EINTR && before &&
         before->number == static_cast<std::uint32_t>(registers.system_call()) &&
         is_call_at(memory, registers.instruction() - ptrace::Registers::system_call_bytes());
}

}  // namespace

unwind::Registers to_unwind(const user_regs_struct& from) {
  unwind::Registers to;
  for (unsigned i = 0; i < unwind::kStackPointer; ++i) to.set(i, from.regs[i]);
  to.set(unwind::kStackPointer, from.sp);
  to.set(unwind::kProgramCounter, from.pc);
  return to;
}

std::optional<SystemCall> call_before_stop(pid_t pid, pid_t thread) {
  return call_of_unstopped(pid, thread);
}

// If the kernel makes the call again, it has set the thread back to the call's instruction, with
// all arguments, before it stops the thread.
std::optional<SystemCall> system_call_of(const ptrace::Memory& memory,
                                         const ptrace::Registers& registers,
                                         const std::optional<SystemCall>& before) {
  if (has_returned(memory, registers, before)) return before;
  if (!is_call_at(memory, registers.instruction())) return {};
  SystemCall call;
  call.number = static_cast<std::uint32_t>(registers.system_call());
  for (unsigned i = 0; i < call.arguments.size(); ++i) call.arguments[i] = registers.argument(i);
  return call;
}

void hide_interruption(pid_t pid, ptrace::SeizedThread& thread, const ptrace::Memory& memory,
                       ptrace::Registers registers, const std::optional<SystemCall>& before) {
  if (!has_returned(memory, registers, before) || has_signal(pid, thread.id())) return;
  registers.begin_again(registers.system_call(), before->arguments[0]);
  static_cast<void>(thread.set_registers(registers));
}

}  // namespace prof::live
