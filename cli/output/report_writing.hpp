// Protects the writing of a report from signals. A user who has just interrupted the program,
// perhaps twice, or has closed the terminal, still wants the report. If a signal ends prof
// nevertheless, prof prints a message first.
#pragma once

#include <signal.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "collector/session/signals.hpp"

namespace prof::cli {

// At most one object exists at a time.
class ReportWriting {
 public:
  // Ignores SIGHUP, the signals that prof ignores anyway, SIGXCPU (the report has priority),
  // SIGPIPE (nobody reads the messages) and SIGXFSZ (the file exceeds a limit: the write fails
  // instead). The first SIGINT prints a line. The next SIGINT, and any other signal that ends prof,
  // removes the unfinished file, prints how to make the report of the recording later, and ends
  // prof. `signals` are blocked until the constructor has run.
  explicit ReportWriting(const std::string& recording,
                         std::unique_ptr<session::Signals> signals = nullptr);
  // Restores the dispositions of the signals.
  ~ReportWriting();
  ReportWriting(const ReportWriting&) = delete;
  ReportWriting& operator=(const ReportWriting&) = delete;

  // `temporary` becomes the unfinished file.
  void begin(const std::string& temporary);
  // All reports exist. From now on the handlers remove the recording instead of printing its name.
  void finish();

 private:
  void set(int signal, void (*handler)(int));

  // Data of the signal handlers. They read it through pointers, which are null while it changes.
  std::string recording_;
  std::string temporary_;
  std::string on_interrupt_;  // messages
  std::string on_end_;
  std::vector<std::pair<int, struct sigaction>> before_;
};

}  // namespace prof::cli
