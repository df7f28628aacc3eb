// While the report of a session is written: who has just interrupted the program, perhaps twice, or
// closed the terminal, wants the report all the same.
#pragma once

#include <signal.h>

#include <utility>
#include <vector>

namespace prof::cli {

class ReportWriting {
 public:
  // Ignores SIGHUP, SIGPIPE (a message that nobody reads) and SIGXFSZ (a file beyond the limit: the
  // write fails instead). The first SIGINT prints a line; the next one ends us, and the recording
  // stays.
  ReportWriting();
  // Puts back what was.
  ~ReportWriting();
  ReportWriting(const ReportWriting&) = delete;
  ReportWriting& operator=(const ReportWriting&) = delete;

 private:
  void set(int signal, void (*handler)(int));

  std::vector<std::pair<int, struct sigaction>> before_;
};

}  // namespace prof::cli
