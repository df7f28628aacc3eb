// Recordings that are being written now, by prof profile or in a session.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "common/base/held/private_folder.hpp"

namespace prof::cli {

struct LiveRecording {
  pid_t writer = 0;              // the prof that writes the recording
  std::string path;              // opens the recording, even if it has no name
  std::string name;              // for messages
  std::string session;           // empty: recorded by prof profile
  std::vector<pid_t> processes;  // recorded, with their child processes
};

// Returns the recordings of this user.
std::vector<LiveRecording> live_recordings();

// Returns the recording of a session, or the one that a process writes or is recorded in. An empty
// text means the only recording. Throws Failure if there is none, or if there are several.
LiveRecording find_live_recording(const std::string& session_or_pid);

// Creates a folder for reports of what has been recorded until now, in $TMPDIR or /tmp. Throws
// Failure.
base::PrivateFolder make_live_folder();

// Makes a report of what has been recorded until now. Throws Failure.
void write_report_so_far(const LiveRecording& recording, const std::string& report);

}  // namespace prof::cli
