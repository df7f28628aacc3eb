// Recordings that are being written now, by prof profile or in a session.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "common/base/held/private_folder.hpp"

namespace prof::cli {

struct LiveRecording {
  pid_t writer = 0;              // the prof that writes it
  std::string path;              // by which it can be read, even if it has no name
  std::string name;              // for messages
  std::string session;           // empty: prof profile
  std::vector<pid_t> processes;  // that are recorded, with their child processes
};

// Those of this user.
std::vector<LiveRecording> live_recordings();

// The one of a session, or of a process that is recorded or records. Empty: the only one. Throws
// Failure if there is none, or if there are several.
LiveRecording find_live_recording(const std::string& session_or_pid);

// A folder for reports of what has been recorded so far, in $TMPDIR or /tmp. Throws Failure.
base::PrivateFolder make_live_folder();

// Makes a report of what has been recorded so far. Throws Failure.
void write_report_so_far(const LiveRecording& recording, const std::string& report);

}  // namespace prof::cli
