// One recording: launches the target, serves it and its children until the end, and leaves
// everything in the spool.
#pragma once

#include <string>

#include "collector/base/result.hpp"
#include "collector/base/unique_fd.hpp"
#include "collector/session/session_options.hpp"

namespace prof::session {

struct RecordingResult {
  int exit_status = 0;  // what prof should exit with: the target's, or 128 + signal
  std::string output;   // path the report is to get
  std::string spool;    // path of the recording
  base::UniqueFd file;  // the recording, even if somebody has deleted it
};

// Name of the spool that belongs to an output file.
std::string spool_path(const std::string& output);

// Runs the target to its end. Fails only if nothing could be started.
base::Result<RecordingResult> record(const SessionOptions& options);

}  // namespace prof::session
