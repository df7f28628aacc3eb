// The ids under which tables keep processes and threads: PID in bits 24-47, TID in bits 0-23; a
// globalPid has no TID.
#pragma once

#include <cstdint>

namespace prof::events {

// What is equal for a process and its threads.
constexpr std::int64_t process_of(std::int64_t global_id) { return global_id >> 24; }
constexpr std::int64_t pid_of(std::int64_t global_id) { return (global_id >> 24) & 0xffffff; }
constexpr std::int64_t tid_of(std::int64_t global_tid) { return global_tid & 0xffffff; }

}  // namespace prof::events
