// Protects the writing of a report from signals. A user who has just interrupted the program,
// perhaps twice, or has closed the terminal, still wants the report.
#pragma once

#include <signal.h>

#include <utility>
#include <vector>

namespace prof::cli {

class ReportWriting {
 public:
  // Ignores SIGHUP, SIGPIPE (nobody reads our messages) and SIGXFSZ (the file exceeds a limit: the
  // write fails instead). The first SIGINT prints a line. The next one ends prof, and the recording
  // stays.
  ReportWriting();
  // Restores the dispositions.
  ~ReportWriting();
  ReportWriting(const ReportWriting&) = delete;
  ReportWriting& operator=(const ReportWriting&) = delete;

 private:
  void set(int signal, void (*handler)(int));

  std::vector<std::pair<int, struct sigaction>> before_;
};

}  // namespace prof::cli
