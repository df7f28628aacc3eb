// All threads of another process, stopped for a moment, for tests of SeizedThread and Memory. The
// rules of SeizedThread hold.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <vector>

#include "collector/ptrace/memory.hpp"
#include "collector/ptrace/seized_thread.hpp"
#include "common/base/result.hpp"

namespace prof::ptrace {

class StoppedProcess {
 public:
  // Stops every thread, also those that appear meanwhile. A thread that does not stop in time is in
  // running(). Fails if a thread may not be traced, or if the process has ended; then all threads
  // go on.
  static base::Result<StoppedProcess> stop(pid_t process, std::chrono::nanoseconds timeout);
  StoppedProcess(StoppedProcess&&) = default;
  StoppedProcess& operator=(StoppedProcess&&) = delete;
  ~StoppedProcess() { let_go(); }

  pid_t id() const { return id_; }
  std::vector<SeizedThread>& stopped() { return stopped_; }
  std::vector<SeizedThread>& running() { return running_; }
  const Memory& memory() const { return memory_; }

  // All threads go on and are not traced any more. The destructor does the same.
  void let_go();

 private:
  explicit StoppedProcess(pid_t process) : id_(process), memory_(process) {}
  base::Result<bool> seize_new_threads();
  void wait_for_all(std::chrono::nanoseconds timeout);

  pid_t id_;
  Memory memory_;
  std::vector<SeizedThread> stopped_;
  std::vector<SeizedThread> running_;
};

}  // namespace prof::ptrace
