// Ids of processes and threads in a report. A globalTid has the PID in bits 24-47 and the TID in
// bits 0-23. In a globalPid the TID is 0.
#pragma once

#include <cstdint>

namespace prof::events {

// Returns a number that is equal for a process and all its threads.
constexpr std::int64_t process_of(std::int64_t global_id) { return global_id >> 24; }
// Returns the globalPid of a process or of the process that a thread belongs to.
constexpr std::int64_t global_pid_of(std::int64_t global_id) { return global_id & ~0xffffff; }
constexpr std::int64_t pid_of(std::int64_t global_id) { return (global_id >> 24) & 0xffffff; }
constexpr std::int64_t tid_of(std::int64_t global_tid) { return global_tid & 0xffffff; }

}  // namespace prof::events
