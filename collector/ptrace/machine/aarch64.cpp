#include <elf.h>

#include "collector/ptrace/registers.hpp"

namespace prof::ptrace {

std::uint64_t Registers::instruction() const { return values_.pc; }
std::uint64_t Registers::stack() const { return values_.sp; }

std::uint64_t Registers::argument(unsigned index) const {
  return index < 6 ? values_.regs[index] : 0;
}

// x8 keeps the number. The code at the thread's instruction shows whether the thread is in a call
// at all.
std::int64_t Registers::system_call() const { return static_cast<std::int64_t>(values_.regs[8]); }
std::int64_t Registers::result() const { return static_cast<std::int64_t>(values_.regs[0]); }

bool Registers::is_system_call(std::uint32_t instruction) { return instruction == 0xd4000001; }
std::uint64_t Registers::system_call_bytes() { return 4; }

void Registers::set_argument(unsigned index, std::uint64_t value) {
  if (index < 6) values_.regs[index] = value;
}

bool Registers::result_replaces_argument() { return true; }

void Registers::restart_call(std::int64_t system_call, std::uint64_t first_argument) {
  values_.pc -= system_call_bytes();
  values_.regs[8] = static_cast<std::uint64_t>(system_call);
  values_.regs[0] = first_argument;
}

int Registers::vector_set() { return NT_PRFPREG; }

}  // namespace prof::ptrace
