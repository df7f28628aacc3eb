// Runs a program under ptrace, one instruction at a time. It also keeps the true call chain: the
// return addresses that are pushed and not popped yet, found by watching the stack pointer.
#pragma once

#include <sys/user.h>
#include <sys/wait.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "common/code/unwind/module_map.hpp"
#include "common/code/unwind/registers.hpp"
#include "common/code/unwind/stack_slice.hpp"

namespace prof::unwind::test {

Registers to_registers(const user_regs_struct& from);

class SteppedProcess {
 public:
  // Starts the program and stops it before its first instruction, in the dynamic linker.
  SteppedProcess(const std::vector<std::string>& command, std::size_t stack_bytes = 32768);
  SteppedProcess(const SteppedProcess&) = delete;
  SteppedProcess& operator=(const SteppedProcess&) = delete;
  ~SteppedProcess();

  // Executes one instruction, signals included. False if the program has ended.
  bool step();
  // Runs to the next breakpoint (int3) or signal. False if the program has ended.
  bool run();
  // True if the next instruction is an int3.
  bool is_at_breakpoint() const { return is_at_breakpoint_; }

  // Return addresses pushed since the first step, innermost first.
  std::vector<std::uint64_t> true_chain() const;
  Registers registers() const { return to_registers(state_); }
  std::uint64_t address() const { return state_.rip; }
  StackSlice stack() const { return {state_.rsp, {stack_.data(), stack_size_}}; }
  const ModuleMap& map() const { return map_; }
  std::uint64_t time() const { return time_; }
  int exit_status() const { return status_; }
  pid_t pid() const { return pid_; }

 private:
  struct Pushed {
    std::uint64_t slot = 0, address = 0;
  };
  bool wait_for_stop();
  void look();
  void read_maps();
  void follow_stack(const user_regs_struct& before, bool is_signal);

  Modules modules_;
  ModuleMap map_{modules_};
  pid_t pid_ = -1;
  int status_ = 0;
  int pending_signal_ = 0;
  std::uint64_t time_ = 0;
  user_regs_struct state_{};
  std::vector<std::byte> stack_;
  std::size_t stack_size_ = 0;
  bool is_at_mapping_call_ = false, is_at_breakpoint_ = false;
  std::vector<Pushed> pushed_;  // outermost first
};

}  // namespace prof::unwind::test
