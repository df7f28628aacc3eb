// The processes of a session, including those that never joined. They have the session in their
// environment.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace prof::session {

bool was_started_in(const std::string& session, pid_t pid);

class SessionProcesses {
 public:
  // `session`: its directory. Only the target exists so far, and find() may miss it.
  explicit SessionProcesses(std::string session);

  // Returns the processes of the session that run now. Reads the environment of every process of
  // the machine, which takes milliseconds. In a session of less than a quarter of a second it looks
  // at new processes only.
  std::vector<pid_t> find() const;

 private:
  std::vector<pid_t> candidates() const;

  const std::string session_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  const std::optional<pid_t> newest_at_start_;
};

}  // namespace prof::session
