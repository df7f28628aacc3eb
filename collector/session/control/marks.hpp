// Marks that a user sets by a command: NVTX marks of a process's main thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string_view>

#include "collector/session/spool_recorder.hpp"

namespace prof::session {

// `serial`: of the process image. `time`: on the session's clock.
void record_mark(SpoolRecorder& recorder, std::uint32_t serial, pid_t pid, std::uint64_t time,
                 std::string_view text);

}  // namespace prof::session
