// A recording: launches the target, serves it and its children until they have ended, and leaves
// everything in a spool.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "collector/session/interactive/report_process.hpp"
#include "collector/session/options/session_options.hpp"
#include "collector/session/signals.hpp"
#include "collector/spool/notes.hpp"
#include "common/base/result.hpp"
#include "common/base/unique_fd.hpp"

namespace prof::session {

struct RecordingResult {
  int exit_status = 0;  // the exit status for prof: that of the target, or 128 + signal
  std::string output;   // path of the report to be written
  std::string spool;    // path of the spool
  base::UniqueFd file;  // the spool, open even if another program has deleted it
  std::optional<spool::SessionNote> session;  // the note in the spool, if it is known
  // Keeps signals blocked until the caller handles them: no signal may end prof without a message
  // while a recording exists.
  std::unique_ptr<Signals> signals;
};

// Runs the target to its end. Fails only if nothing could be started. `write_reports` writes the
// reports of a flight recorder, while the target runs. `meanwhile` is called while the kernel loads
// the target.
base::Result<RecordingResult> record(const SessionOptions& options, WriteReports write_reports,
                                     const std::function<void()>& meanwhile);

}  // namespace prof::session
