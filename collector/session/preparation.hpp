// What a session creates before its first program starts, and the first notes of a recording.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "collector/session/launch/target_environment.hpp"
#include "collector/session/launch/target_program.hpp"
#include "collector/session/options/session_options.hpp"
#include "collector/session/session_directory.hpp"
#include "collector/session/spool_recorder.hpp"
#include "collector/session/stream_capture.hpp"
#include "collector/spool/arena.hpp"
#include "common/base/result.hpp"

namespace prof::session {

base::Result<Preload> find_preload(const SessionOptions& options, const TargetProgram& program);
base::Result<SessionDirectory> create_directory(const SessionOptions& options);
base::Result<spool::Arena> create_arena(const SessionOptions& options);

// Returns the name of an output with the program's pid in place of %p.
std::string with_pid(std::string text, pid_t pid);

// Fails if the output exists and may not be replaced.
base::Status check_new_output(const std::string& output, bool overwrite);

// Creates the spool. It also reserves the name of the output.
base::Result<spool::SpoolWriter> create_spool(const std::string& output, bool overwrite);

void write_warnings(SpoolRecorder& recorder, const std::vector<std::string>& of_options,
                    const std::vector<std::string>& of_program);
void write_session_note(SpoolRecorder& recorder, const SessionOptions& options, double tick_rate);
void write_streams(SpoolRecorder& recorder, const StreamCapture& streams, pid_t target_pid);

}  // namespace prof::session
