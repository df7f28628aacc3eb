#include "collector/session/admission/session_processes.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <numeric>
#include <ranges>
#include <set>
#include <thread>
#include <utility>

#include "common/base/proc_file.hpp"
#include "common/base/proc_ids.hpp"
#include "common/base/text_file.hpp"
#include "common/wire/handshake.hpp"

namespace prof::session {

namespace {

// The kernel assigns process ids in turn. Within this time it does not reuse an id that it assigned
// before: there are at least 32,768 ids.
constexpr auto kShort = std::chrono::milliseconds(250);
constexpr pid_t kFew = 256;

// A daemon's parent may fork it and end while its environment is about to be read. So a search that
// finds nothing is repeated with the processes that are new since then. The number of searches is
// limited, because a busy machine always has new processes.
constexpr int kMaxSearches = 200;
// A fork takes the id of its child some time before the child can be seen. So a search without a
// new process is repeated once.
constexpr int kInVain = 2;

// Returns the process or thread id that was assigned last. Nothing if /proc shows another pid
// namespace than prof's.
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

// Returns the pids in ascending order.
std::vector<pid_t> all_processes() {
  std::vector<pid_t> all = base::ids_in("/proc");
  std::ranges::sort(all);
  return all;
}

// True if the process is in execve: its program has no environment yet, or no file.
bool is_in_exec(pid_t pid) {
  constexpr int kFlags = 9;  // fields, proc_pid_stat(5)
  constexpr int kEndOfEnvironment = 51;
  constexpr std::uint64_t kExiting = 0x4;  // flags, include/linux/sched.h
  constexpr std::uint64_t kKernelThread = 0x200000;
  const std::string stat = base::read_proc_file(base::proc_path(pid, "stat"));
  if (stat.empty()) return false;
  const std::uint64_t flags = base::number_in(base::stat_field(stat, kFlags));
  if ((flags & (kExiting | kKernelThread)) != 0) return false;
  return base::stat_field(stat, kEndOfEnvironment) == "0" ||
         base::read_link(base::proc_path(pid, "exe")).empty();
}

// Returns the environment. Waits for the end of an execve: microseconds, or longer on a busy
// machine.
std::optional<std::string> environment_of(pid_t pid) {
  using namespace std::chrono_literals;
  const std::string path = base::proc_path(pid, "environ");
  std::optional<std::string> environment = base::read_text_file(path);
  for (int i = 0; i < 40 && environment && environment->empty() && is_in_exec(pid); ++i) {
    std::this_thread::sleep_for(500us);
    environment = base::read_text_file(path);
  }
  return environment;
}

}  // namespace

bool was_started_in(const std::string& session, pid_t pid) {
  const std::string wanted =
      std::string(1, '\0') + wire::kSessionVariable + "=" + session + std::string(1, '\0');
  const auto environment = environment_of(pid);
  return environment && ('\0' + *environment).find(wanted) != std::string::npos;
}

SessionProcesses::SessionProcesses(std::string session)
    : session_(std::move(session)), newest_at_start_(newest_process()) {}

// The newest processes come first: they are the ones that may have children, while the others may
// be about to end.
std::vector<pid_t> SessionProcesses::find() const {
  std::set<pid_t> seen;
  std::vector<pid_t> found;
  int in_vain = 0;
  for (int i = 0; i < kMaxSearches && found.empty() && in_vain < kInVain; ++i) {
    const std::size_t before = seen.size();
    for (const pid_t pid : candidates() | std::views::reverse) {
      if (seen.contains(pid) || access(base::proc_path(pid, "stat").c_str(), F_OK) != 0) continue;
      seen.insert(pid);
      if (pid != getpid() && was_started_in(session_, pid)) found.push_back(pid);
    }
    in_vain = seen.size() == before ? in_vain + 1 : 0;
  }
  return found;
}

std::vector<pid_t> SessionProcesses::candidates() const {
  const std::optional<pid_t> newest = newest_process();
  const bool is_short = std::chrono::steady_clock::now() - start_ < kShort;
  if (!is_short || !newest || !newest_at_start_ || *newest < *newest_at_start_ ||
      *newest - *newest_at_start_ > kFew)
    return all_processes();
  std::vector<pid_t> recent(static_cast<std::size_t>(*newest - *newest_at_start_));
  std::iota(recent.begin(), recent.end(), *newest_at_start_ + 1);
  return recent;
}

}  // namespace prof::session
