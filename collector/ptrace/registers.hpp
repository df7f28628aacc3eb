// The registers of a stopped thread. What depends on the processor is in machine/.
#pragma once

#include <sys/types.h>
#include <sys/user.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/base/result.hpp"

namespace prof::ptrace {

// General registers. If they contain the number of the interrupted system call, the kernel restarts
// the call.
class Registers {
 public:
  std::uint64_t instruction() const;
  std::uint64_t stack() const;
  std::uint64_t argument(unsigned index) const;  // argument 0 to 5 of the system call

  // Returns the number of the system call that the thread is in, or -1.
  std::int64_t system_call() const;
  std::int64_t result() const;
  void set_argument(unsigned index, std::uint64_t value);  // argument 0 to 5 of the system call
  // True if the result of a call overwrites its first argument.
  static bool result_replaces_argument();
  // True if this is the instruction that makes system calls.
  static bool is_system_call(std::uint32_t instruction);
  static std::uint64_t system_call_bytes();
  // Makes the stopped thread, which has just made this call, make the call again.
  void restart_call(std::int64_t system_call, std::uint64_t first_argument);
  static int vector_set();  // the kernel's number for the set of vector registers

  user_regs_struct& values() { return values_; }
  const user_regs_struct& values() const { return values_; }

 private:
  user_regs_struct values_{};
};

// Floating-point and vector registers, as the kernel keeps them.
using VectorRegisters = std::vector<std::byte>;

// Reads the registers of a stopped thread that the calling thread traces.
base::Result<Registers> read_registers(pid_t thread);
base::Status write_registers(pid_t thread, const Registers& registers);
base::Result<VectorRegisters> read_vector_registers(pid_t thread);
base::Status write_vector_registers(pid_t thread, const VectorRegisters& registers);

}  // namespace prof::ptrace
