#include "collector/session/admission/process_facts.hpp"

#include <signal.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "common/base/proc_file.hpp"
#include "common/base/proc_ids.hpp"

namespace prof::session {

namespace {

// A pid is not reused within this time.
constexpr std::uint64_t kNoReuse = 1'000'000'000;
constexpr std::uint64_t kClockPrecision = 100;  // the rate of the session's clock is precise to 1 %
constexpr std::uint64_t kStartPrecision = 20'000'000;  // start times are in ticks of 10 ms

}  // namespace

bool has_ended(pid_t pid) { return kill(pid, 0) != 0 && errno == ESRCH; }

bool is_dead(pid_t pid) {
  const std::string stat = base::read_proc_file(base::proc_path(pid, "stat"));
  const bool first_thread_has_ended = base::stat_field(stat, 3) == "Z";
  return has_ended(pid) || (first_thread_has_ended && base::living_thread(pid) == 0);
}

base::UniqueFd open_pidfd(pid_t pid) {
  return base::UniqueFd(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
}

std::optional<int> exit_status_of(int pidfd) {
  // The kernel's struct pidfd_info and its request, which older headers lack.
  struct Info {
    std::uint64_t wanted, cgroup;
    std::uint32_t ids[11];
    std::int32_t status;
  } info{};
  static_assert(sizeof info == 64);
  constexpr std::uint64_t kExit = 1 << 3;
  info.wanted = kExit;
  if (ioctl(pidfd, _IOWR(0xff, 11, Info), &info) != 0 || (info.wanted & kExit) == 0)
    return std::nullopt;
  return WIFSIGNALED(info.status) ? 128 + WTERMSIG(info.status) : WEXITSTATUS(info.status);
}

std::uint64_t age_of(pid_t pid) {
  constexpr int kStart = 22;
  const std::string stat = base::read_proc_file(base::proc_path(pid, "stat"));
  const std::string_view field = base::stat_field(stat, kStart);
  if (field.empty()) return 0;
  const double started =
      static_cast<double>(base::number_in(field)) / static_cast<double>(sysconf(_SC_CLK_TCK));
  timespec now{};
  clock_gettime(CLOCK_BOOTTIME, &now);
  const double age =
      static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9 - started;
  return age > 0 ? static_cast<std::uint64_t>(age * 1e9) : 0;
}

FoundProcess find_process(pid_t pid, std::uint64_t age) {
  base::UniqueFd pidfd = open_pidfd(pid);
  // No such process, or a thread id: treat it as reaped.
  if (!pidfd) return {{}, errno == ESRCH || errno == EINVAL || errno == ENOENT};
  // If the announcement is old, another process may have its pid by now.
  if (age > kNoReuse && age_of(pid) + kStartPrecision + age / kClockPrecision < age)
    return {{}, true};
  return {std::move(pidfd), false};
}

}  // namespace prof::session
