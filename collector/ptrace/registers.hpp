// The registers of a stopped thread. What depends on the processor is in machine/.
#pragma once

#include <sys/types.h>
#include <sys/user.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/base/result.hpp"

namespace prof::ptrace {

// General registers. With the number of the interrupted system call in them, the kernel restarts
// it.
class Registers {
 public:
  std::uint64_t instruction() const;
  std::uint64_t stack() const;
  std::uint64_t argument(unsigned index) const;  // of the system call: 0 to 5

  // Number of the system call that the thread is in, or -1.
  std::int64_t system_call() const;
  std::int64_t result() const;
  void set_argument(unsigned index, std::uint64_t value);  // of the system call: 0 to 5
  // Is the first argument lost when the call has returned?
  static bool result_replaces_argument();
  // The instruction that makes system calls.
  static bool is_system_call(std::uint32_t instruction);
  static std::uint64_t system_call_bytes();
  // The registers of a stopped thread that has just made this call: it makes the call again.
  void restart_call(std::int64_t system_call, std::uint64_t first_argument);
  static int vector_set();  // the kernel's number of the vector registers

  user_regs_struct& values() { return values_; }
  const user_regs_struct& values() const { return values_; }

 private:
  user_regs_struct values_{};
};

// Floating-point and vector registers, as the kernel keeps them.
using VectorRegisters = std::vector<std::byte>;

// For a thread that this thread traces and that is stopped.
base::Result<Registers> read_registers(pid_t thread);
base::Status write_registers(pid_t thread, const Registers& registers);
base::Result<VectorRegisters> read_vector_registers(pid_t thread);
base::Status write_vector_registers(pid_t thread, const VectorRegisters& registers);

}  // namespace prof::ptrace
