#include <elf.h>

#include "collector/ptrace/registers.hpp"

namespace prof::ptrace {

std::uint64_t Registers::instruction() const { return values_.rip; }
std::uint64_t Registers::stack() const { return values_.rsp; }

std::uint64_t Registers::argument(unsigned index) const {
  const std::uint64_t arguments[] = {values_.rdi, values_.rsi, values_.rdx,
                                     values_.r10, values_.r8,  values_.r9};
  return index < 6 ? arguments[index] : 0;
}

std::int64_t Registers::system_call() const { return static_cast<std::int64_t>(values_.orig_rax); }
std::int64_t Registers::result() const { return static_cast<std::int64_t>(values_.rax); }

bool Registers::is_system_call(std::uint32_t instruction) {
  return (instruction & 0xffff) == 0x050f;
}
std::uint64_t Registers::system_call_bytes() { return 2; }

void Registers::set_argument(unsigned index, std::uint64_t value) {
  unsigned long long* const places[] = {&values_.rdi, &values_.rsi, &values_.rdx,
                                        &values_.r10, &values_.r8,  &values_.r9};
  if (index < 6) *places[index] = value;
}

bool Registers::result_replaces_argument() { return false; }

// The kernel itself makes the call again, unless it has a signal to deliver first.
void Registers::restart_call(std::int64_t system_call, std::uint64_t) {
  constexpr std::int64_t kRestartWithoutHandler = -514;
  values_.rax = static_cast<std::uint64_t>(kRestartWithoutHandler);
  values_.orig_rax = static_cast<std::uint64_t>(system_call);
}

int Registers::vector_set() { return NT_X86_XSTATE; }

}  // namespace prof::ptrace
