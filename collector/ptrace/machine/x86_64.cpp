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

void Registers::begin_again(std::int64_t system_call, std::uint64_t) {
  values_.rip -= system_call_bytes();
  values_.rax = static_cast<std::uint64_t>(system_call);
  values_.orig_rax = ~0ULL;  // the kernel itself has nothing to restart
}

int Registers::vector_set() { return NT_X86_XSTATE; }

}  // namespace prof::ptrace
