// Starts the target as a direct child of prof. The target keeps the standard streams, process group
// and terminal of prof, and gets the signal mask and dispositions that prof was started with.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <string>
#include <vector>

#include "collector/session/signals.hpp"
#include "common/base/result.hpp"
#include "common/base/unique_fd.hpp"

namespace prof::session {

struct LaunchRequest {
  std::string path;  // path or name of the program, as for execvp
  std::vector<std::string> command;
  std::vector<std::string> environment;  // NAME=value
  sigset_t signal_mask;                  // mask to restore in the child
  SignalActions signal_actions;          // dispositions to restore
  int stdout_fd = -1;                    // -1: prof's stream
  int stderr_fd = -1;
};

// A child that has been forked and waits before it becomes the program. So its pid is known before
// any of the program's code runs. If the object is destroyed before start(), the child exits.
class Launch {
 public:
  static base::Result<Launch> prepare(const LaunchRequest& request);
  Launch(Launch&& other) noexcept;
  Launch& operator=(Launch&&) = delete;
  Launch(const Launch&) = delete;
  ~Launch();

  pid_t pid() const { return pid_; }

  // Lets the child become the program.
  void start();
  // Returns after the exec. After a failure no child is left.
  base::Status wait_for_exec();

 private:
  Launch(pid_t pid, std::string program, base::UniqueFd start, base::UniqueFd error)
      : pid_(pid),
        program_(std::move(program)),
        start_(std::move(start)),
        error_(std::move(error)) {}
  pid_t pid_;
  std::string program_;
  base::UniqueFd start_;  // a byte written here starts the child; closing it ends the child
  base::UniqueFd error_;  // delivers errno of a failed exec
};

}  // namespace prof::session
