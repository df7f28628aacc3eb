// Protects the writing of a report from signals. A user who has just interrupted the program,
// perhaps twice, or has closed the terminal, still wants the report. A signal that ends prof
// nevertheless does not do so without a word.
#pragma once

#include <signal.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "collector/session/signals.hpp"

namespace prof::cli {

// At most one at a time.
class ReportWriting {
 public:
  // Ignores SIGHUP, what prof passes over, SIGXCPU (the report is what matters now), SIGPIPE
  // (nobody reads our messages) and SIGXFSZ (the file exceeds a limit: the write fails instead).
  // The first SIGINT prints a line. The next one, and any other signal that ends prof, removes the
  // unfinished file, says how to make the report of the recording later, and ends prof. `signals`:
  // blocked until then.
  explicit ReportWriting(const std::string& recording,
                         std::unique_ptr<session::Signals> signals = nullptr);
  // Restores the dispositions.
  ~ReportWriting();
  ReportWriting(const ReportWriting&) = delete;
  ReportWriting& operator=(const ReportWriting&) = delete;

  // From now on this is the unfinished file.
  void begin(const std::string& temporary);
  // All reports are there. From now on the recording is removed instead of named.
  void finish();

 private:
  void set(int signal, void (*handler)(int));

  // What the handlers need. They see it through pointers, which are null while it changes.
  std::string recording_;
  std::string temporary_;
  std::string on_interrupt_;  // messages
  std::string on_end_;
  std::vector<std::pair<int, struct sigaction>> before_;
};

}  // namespace prof::cli
