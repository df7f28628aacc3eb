// Starts the target: a direct child of ours that keeps our standard streams, process group and
// terminal, with the signal mask and dispositions that we were started with.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <string>
#include <vector>

#include "collector/base/result.hpp"
#include "collector/base/unique_fd.hpp"
#include "collector/session/signals.hpp"

namespace prof::session {

struct LaunchRequest {
  std::vector<std::string> command;
  std::vector<std::string> environment;  // NAME=value
  sigset_t signal_mask;                  // to restore in the child
  SignalActions signal_actions;          // dispositions to restore
  int stdout_fd = -1;                    // -1: ours
  int stderr_fd = -1;
};

// A child that has been forked but waits for leave to become the program, so that its pid is known
// before anything of it runs. Destroyed before that, it takes the child with it.
class Launch {
 public:
  static base::Result<Launch> prepare(const LaunchRequest& request);
  Launch(Launch&& other) noexcept;
  Launch& operator=(Launch&&) = delete;
  Launch(const Launch&) = delete;
  ~Launch();

  pid_t pid() const { return pid_; }

  // Lets the child go; returns once the program has been exec'ed. On failure nothing is left
  // running.
  base::Status go();

 private:
  Launch(pid_t pid, std::string program, base::UniqueFd start, base::UniqueFd error)
      : pid_(pid),
        program_(std::move(program)),
        start_(std::move(start)),
        error_(std::move(error)) {}
  pid_t pid_;
  std::string program_;
  base::UniqueFd start_;  // a byte written here starts the child; closing it ends it
  base::UniqueFd error_;  // errno of a failed exec comes out here
};

// By which variables other than LD_PRELOAD the library is brought in.
struct InjectionDoors {
  bool nvtx = false;
  bool cuda = false;
};

// What is put into LD_PRELOAD in front of what is there already.
struct Preload {
  std::vector<std::string> first;   // sanitizer runtimes
  std::string library;              // libprof_inject.so
  std::vector<std::string> behind;  // those that use it
};

// The environment for the target: `base` plus `additions` (later ones win), plus ours.
std::vector<std::string> target_environment(
    char* const* base, const std::vector<std::pair<std::string, std::string>>& additions,
    const std::string& session, const Preload& preload, const InjectionDoors& doors);

}  // namespace prof::session
