#include "tests/unit/common/code/unwind/stepped_process.hpp"

#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <stdexcept>

namespace prof::unwind::test {

Registers to_registers(const user_regs_struct& from) {
  const std::uint64_t values[] = {from.rax, from.rdx, from.rcx, from.rbx, from.rsi, from.rdi,
                                  from.rbp, from.rsp, from.r8,  from.r9,  from.r10, from.r11,
                                  from.r12, from.r13, from.r14, from.r15, from.rip};
  Registers registers;
  for (unsigned i = 0; i < kRegisterCount; ++i) registers.set(i, values[i]);
  return registers;
}

SteppedProcess::SteppedProcess(const std::vector<std::string>& command, std::size_t stack_bytes)
    : stack_(stack_bytes) {
  std::vector<char*> words;
  for (const auto& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  pid_ = fork();
  if (pid_ == 0) {
    ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
    execv(words[0], words.data());
    _exit(127);
  }
  if (!wait_for_stop()) throw std::runtime_error("cannot start " + command[0]);
  ptrace(PTRACE_SETOPTIONS, pid_, nullptr, PTRACE_O_EXITKILL);
  pending_signal_ = 0;
  read_maps();
  look();
}

SteppedProcess::~SteppedProcess() {
  if (pid_ <= 0) return;
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

bool SteppedProcess::wait_for_stop() {
  if (waitpid(pid_, &status_, 0) != pid_ || !WIFSTOPPED(status_)) {
    pid_ = -1;
    return false;
  }
  const int signal = WSTOPSIG(status_);
  pending_signal_ = signal == SIGTRAP ? 0 : signal;
  return true;
}

bool SteppedProcess::step() {
  const user_regs_struct before = state_;
  const bool maps_change = is_at_mapping_call_;
  const bool is_signal = pending_signal_ != 0;
  if (ptrace(PTRACE_SINGLESTEP, pid_, nullptr, pending_signal_) != 0 || !wait_for_stop())
    return false;
  if (maps_change) read_maps();
  look();
  follow_stack(before, is_signal);
  return true;
}

bool SteppedProcess::run() {
  if (ptrace(PTRACE_CONT, pid_, nullptr, pending_signal_) != 0 || !wait_for_stop()) return false;
  read_maps();
  look();
  return true;
}

void SteppedProcess::look() {
  ptrace(PTRACE_GETREGS, pid_, nullptr, &state_);
  unsigned char code[2] = {};
  const iovec to_code{code, sizeof code}, from_code{reinterpret_cast<void*>(state_.rip), 2};
  process_vm_readv(pid_, &to_code, 1, &from_code, 1, 0);
  const iovec to{stack_.data(), stack_.size()};
  const iovec from{reinterpret_cast<void*>(state_.rsp), stack_.size()};
  const ssize_t count = process_vm_readv(pid_, &to, 1, &from, 1, 0);
  stack_size_ = count > 0 ? static_cast<std::size_t>(count) : 0;
  is_at_breakpoint_ = code[0] == 0xcc;
  is_at_mapping_call_ =
      code[0] == 0x0f && code[1] == 0x05 &&
      (state_.rax == SYS_mmap || state_.rax == SYS_munmap || state_.rax == SYS_mprotect);
}

void SteppedProcess::read_maps() {
  ++time_;
  map_.remove(0, ~std::uint64_t{0}, time_);
  const auto maps = read_process_maps(std::to_string(pid_), time_);
  if (!maps) return;
  for (const MapEvent& each : *maps) map_.add(each);
}

void SteppedProcess::follow_stack(const user_regs_struct& before, bool is_signal) {
  while (!pushed_.empty() && pushed_.back().slot < state_.rsp) pushed_.pop_back();
  std::uint64_t top = 0;
  if (!stack().read(state_.rsp, top)) return;
  if (is_signal && state_.rip != before.rip && state_.rsp < before.rsp - 128) {
    // The kernel has pushed a signal frame. The interrupted code continues above it.
    pushed_.push_back({before.rsp - 8, before.rip});
    pushed_.push_back({state_.rsp, top});
  } else if (state_.rsp == before.rsp - 8 && top > before.rip && top - before.rip <= 8 &&
             state_.rip != top) {
    pushed_.push_back({state_.rsp, top});
  }
}

std::vector<std::uint64_t> SteppedProcess::true_chain() const {
  std::vector<std::uint64_t> chain{state_.rip};
  for (auto each = pushed_.rbegin(); each != pushed_.rend(); ++each) chain.push_back(each->address);
  return chain;
}

}  // namespace prof::unwind::test
