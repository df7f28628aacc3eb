#include "collector/session/interactive/report_process.hpp"

#include <unistd.h>

#include "common/base/log.hpp"
#include "common/base/proc_ids.hpp"

namespace prof::session {

namespace {

constexpr int kNicer = 10;

}  // namespace

pid_t start_report_process(const ReportProcess& process, const sigset_t& signals,
                           const WriteReports& write_reports) {
  const pid_t pid = fork();
  if (pid != 0) return pid;
  if (process.out >= 0) dup2(process.out, STDOUT_FILENO);
  if (process.error >= 0) dup2(process.error, STDERR_FILENO);
  if (process.is_polite) static_cast<void>(!nice(kNicer));
  auto finished = process.prepare();
  if (!finished) {
    base::log_error("{}", finished.error().message);
    _exit(1);
  }
  // No descriptor of the session may stay open here, because the collector watches them.
  const int file = dup2(finished->file.get(), 3);
  for (const pid_t fd : base::ids_in("/proc/self/fd"))
    if (fd > file) close(fd);
  static_cast<void>(finished->file.release());
  finished->file.reset(file);
  sigprocmask(SIG_SETMASK, &signals, nullptr);
  _exit(write_reports(*finished));
}

}  // namespace prof::session
