#include "collector/session/admission/session_processes.hpp"

#include <unistd.h>

#include <fstream>
#include <utility>

#include "collector/base/proc_file.hpp"
#include "collector/base/proc_ids.hpp"
#include "collector/base/text_file.hpp"
#include "injection/wire/handshake.hpp"

namespace prof::session {

namespace {

// The kernel gives out process ids in turn. Within this time it does not come round to the ids that
// were given out before: there are at least 32,768.
constexpr auto kShort = std::chrono::milliseconds(250);
constexpr pid_t kFew = 256;

// The process or thread id that was given out last. Nothing if /proc shows another pid namespace
// than the one that prof is in.
std::optional<pid_t> newest_process() {
  char self[16] = {};
  if (readlink("/proc/self", self, sizeof self - 1) < 0 || self != std::to_string(getpid()))
    return std::nullopt;
  std::ifstream file("/proc/loadavg");
  std::string averages, running;
  pid_t newest = 0;
  for (int i = 0; i < 3; ++i) file >> averages;
  if (!(file >> running >> newest)) return std::nullopt;
  return newest;
}

}  // namespace

bool was_started_in(const std::string& session, pid_t pid) {
  const std::string wanted =
      std::string(1, '\0') + wire::kSessionVariable + "=" + session + std::string(1, '\0');
  const auto environment = base::read_text_file(base::proc_path(pid, "environ"));
  return environment && ('\0' + *environment).find(wanted) != std::string::npos;
}

SessionProcesses::SessionProcesses(std::string session)
    : session_(std::move(session)), newest_at_start_(newest_process()) {}

std::vector<pid_t> SessionProcesses::find() const {
  std::vector<pid_t> found = candidates();
  std::erase_if(found,
                [&](pid_t pid) { return pid == getpid() || !was_started_in(session_, pid); });
  return found;
}

std::vector<pid_t> SessionProcesses::candidates() const {
  const std::optional<pid_t> newest = newest_process();
  const bool is_short = std::chrono::steady_clock::now() - start_ < kShort;
  if (!is_short || !newest || !newest_at_start_ || *newest < *newest_at_start_ ||
      *newest - *newest_at_start_ > kFew)
    return base::ids_in("/proc");
  std::vector<pid_t> recent;
  for (pid_t pid = *newest_at_start_ + 1; pid <= *newest; ++pid) recent.push_back(pid);
  return recent;
}

}  // namespace prof::session
