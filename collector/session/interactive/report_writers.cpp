#include "collector/session/interactive/report_writers.hpp"

#include <sys/wait.h>

#include <cerrno>
#include <cstring>

#include "collector/spool/left_over.hpp"
#include "common/base/log.hpp"

namespace prof::session {

// Writes reports in another process, so that the collector goes on, and its memory does not grow.
void ReportWriters::start(FinishedCollection finished, std::vector<Client> waiting, int error) {
  const std::string spool = finished.spool;
  const pid_t pid = start_report_process(
      {.out = waiting.empty() ? error : waiting.front().out.get(),
       .error = error,
       .prepare = [&]() -> base::Result<FinishedCollection> { return std::move(finished); }},
      signals_, write_reports_);
  if (pid < 0) {
    base::log_error("cannot start a process that writes {}: {}", finished.output, strerror(errno));
    for (const Client& client : waiting) client.reply({{"status", 1}});
    return;
  }
  writers_.push_back({pid, spool, std::move(waiting)});
}

void ReportWriters::reap() {
  for (auto at = writers_.begin(); at != writers_.end();) {
    int status = 0;
    if (waitpid(at->pid, &status, WNOHANG) != at->pid) {
      ++at;
      continue;
    }
    Message answer{{"status", WIFEXITED(status) ? WEXITSTATUS(status) : 1}};
    if (WIFSIGNALED(status))
      answer["message"] = "the process that wrote the report was killed; the recording is kept: " +
                          spool::recovery_command(at->spool);
    for (const Client& client : at->clients) client.reply(answer);
    at = writers_.erase(at);
  }
}

}  // namespace prof::session
