// The registers of a stopped thread. What depends on the architecture is here and in registers.cpp.
#pragma once

#include <sys/types.h>
#include <sys/user.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "collector/base/result.hpp"

namespace prof::ptrace {

// General registers. With the number of the interrupted system call in them, the kernel restarts
// it.
class Registers {
 public:
  std::uint64_t instruction() const { return values_.rip; }
  std::uint64_t stack() const { return values_.rsp; }
  std::uint64_t thread_pointer() const { return values_.fs_base; }
  std::uint64_t argument(unsigned index) const;  // of the system call: 0 to 5

  // Number of the system call that the thread is in, or -1.
  std::int64_t system_call() const { return static_cast<std::int64_t>(values_.orig_rax); }
  std::int64_t result() const { return static_cast<std::int64_t>(values_.rax); }

  user_regs_struct& values() { return values_; }
  const user_regs_struct& values() const { return values_; }

 private:
  user_regs_struct values_{};
};

// Floating-point and vector registers, as the kernel keeps them (XSAVE's layout).
using VectorRegisters = std::vector<std::byte>;

// For a thread that this thread traces and that is stopped.
base::Result<Registers> read_registers(pid_t thread);
base::Status write_registers(pid_t thread, const Registers& registers);
base::Result<VectorRegisters> read_vector_registers(pid_t thread);
base::Status write_vector_registers(pid_t thread, const VectorRegisters& registers);

}  // namespace prof::ptrace
