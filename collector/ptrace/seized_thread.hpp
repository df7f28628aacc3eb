// One thread of another process that this thread traces. Tracing ends with the object, and the
// thread goes on where it was. It also ends when the tracing thread or its process ends or is
// killed, because PTRACE_O_EXITKILL is not set. Then the kernel resumes the traced threads with the
// registers that they have at that moment.
//
// All calls come from the thread that called seize(). A thread that does not stop in time (it is in
// an uninterruptible system call, or waits for a vfork child) cannot be released before it stops;
// it is released only when the tracing thread ends. So trace on a thread or process that ends soon.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <utility>

#include "collector/ptrace/registers.hpp"
#include "common/base/result.hpp"

namespace prof::ptrace {

enum class State {
  kRunning,
  kInterrupted,  // stopped by interrupt()
  kSignal,       // stopped because of a signal, which is delivered when the thread goes on
  kJobStopped,   // SIGSTOP or ^Z stopped the whole process, which stays stopped
  kSystemCall,   // stopped at the begin or the end of a system call (go_to_system_call())
  kGone,         // the thread has ended
};

class SeizedThread {
 public:
  // Starts tracing without a stop. The error says what would help.
  static base::Result<SeizedThread> seize(pid_t thread);
  SeizedThread(SeizedThread&& other) noexcept
      : id_(std::exchange(other.id_, 0)),
        state_(other.state_),
        signal_(other.signal_),
        asked_(other.asked_),
        ran_at_(other.ran_at_),
        stopped_at_(other.stopped_at_),
        stopped_ns_(other.stopped_ns_) {}
  SeizedThread& operator=(SeizedThread&& other) noexcept;
  SeizedThread(const SeizedThread&) = delete;
  SeizedThread& operator=(const SeizedThread&) = delete;
  ~SeizedThread() { detach(); }

  pid_t id() const { return id_; }
  State state() const { return state_; }
  bool is_stopped() const { return state_ != State::kRunning && state_ != State::kGone; }

  // Asks a running thread to stop. Returns at once.
  void interrupt();
  // Waits until the thread stops or ends. Returns false if it does neither in time.
  bool wait(std::chrono::nanoseconds timeout);
  // Checks, without waiting, whether the thread has stopped or ended.
  bool poll();

  // Lets the thread go on; a signal that stopped it is delivered. A process that job control
  // stopped stays stopped.
  void resume();
  // Resumes the thread until it enters or leaves a system call, or until something else stops it.
  void go_to_system_call();
  // Discards the signal that stopped the thread, because prof has caused it.
  void drop_signal() { signal_ = 0; }
  // Stops the thread like interrupt(). A thread that is stopped in a system call runs no code of
  // the program before that. Returns false if the thread does not stop in time.
  bool stop_again(std::chrono::nanoseconds timeout);
  // Resumes the thread and ends tracing. Waits a moment for a thread that is not stopped.
  void detach();
  // Stops using the thread: tracing ends when the tracing thread ends. Unlike detach() this does
  // not interrupt the system call that the thread is in.
  void leave_to_kernel() { id_ = 0; }

  base::Result<Registers> registers() const { return read_registers(id_); }
  base::Status set_registers(const Registers& values) { return write_registers(id_, values); }
  base::Result<VectorRegisters> vector_registers() const { return read_vector_registers(id_); }
  base::Status set_vector_registers(const VectorRegisters& values) {
    return write_vector_registers(id_, values);
  }
  base::Result<std::uint64_t> signal_mask() const;
  base::Status set_signal_mask(std::uint64_t mask);

  // Returns how long the thread was stopped in all, ns. Each stop counts from the last moment at
  // which the thread was seen running, so the result is a little too long.
  std::uint64_t stopped_ns() const;

 private:
  explicit SeizedThread(pid_t thread) : id_(thread) {}
  void note(int status);
  void go_on(int request);

  pid_t id_ = 0;  // 0: no longer traced
  State state_ = State::kRunning;
  int signal_ = 0;            // signal to deliver when the thread goes on
  bool asked_ = false;        // interrupt() was called, and the thread has not stopped yet
  std::uint64_t ran_at_ = 0;  // the last time at which the thread was not stopped
  std::uint64_t stopped_at_ = 0;
  std::uint64_t stopped_ns_ = 0;
};

}  // namespace prof::ptrace
