#include "collector/live/stopped_call.hpp"

namespace prof::live {

namespace {

bool is_call_at(const ptrace::Memory& memory, std::uint64_t place) {
  std::uint32_t code = 0;
  return memory.read(place, code) && ptrace::Registers::is_system_call(code);
}

}  // namespace

unwind::Registers to_unwind(const user_regs_struct& from) {
  unwind::Registers to;
  for (unsigned i = 0; i < unwind::kStackPointer; ++i) to.set(i, from.regs[i]);
  to.set(unwind::kStackPointer, from.sp);
  to.set(unwind::kProgramCounter, from.pc);
  return to;
}

// If the kernel makes the call again, it has set the thread back to the call's instruction, with
// all arguments, before it stops the thread. If not, the result has replaced the first argument.
std::optional<SystemCall> system_call_of(const ptrace::Memory& memory,
                                         const ptrace::Registers& registers,
                                         const ptrace::BeforeStop& before,
                                         const std::optional<ptrace::FailedCall>& failed) {
  if (failed) return SystemCall{static_cast<std::uint32_t>(failed->number), before.call->arguments};
  if (!is_call_at(memory, registers.instruction())) return {};
  SystemCall call;
  call.number = static_cast<std::uint32_t>(registers.system_call());
  for (unsigned i = 0; i < call.arguments.size(); ++i) call.arguments[i] = registers.argument(i);
  return call;
}

}  // namespace prof::live
