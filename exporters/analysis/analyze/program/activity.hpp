// Names what a thread of a program does in a period of time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace prof::analyze {

enum class Activity : std::uint8_t {
  kRunning,   // on a CPU
  kNeedsCpu,  // is ready to run, but other threads have the CPUs
  kLock,      // waits for a lock that another thread holds
  kGil,       // waits for Python's interpreter lock
  kFile,      // waits for a file
  kNetwork,   // waits for a socket
  kInput,  // waits for a descriptor; the report does not show whether it is a file, pipe or socket
  kSleep,  // sleeps for a time that it chose
  kThreads,   // waits for other threads: a condition, a semaphore, a barrier, the end of a thread
  kChildren,  // waits for child processes
  kUnknown,   // does not run; the report does not show why
};
inline constexpr std::size_t kActivities = 11;

// Returns what a thread waits for that is blocked in this OS-runtime function or system call.
// kUnknown if the function does not wait for anything in particular.
Activity wait_of(std::string_view function);

// The number of ranks. Threads of the first rank keep the program busy. Threads of a later rank
// matter only while no thread has an earlier rank. The second rank has waits for something outside
// of the program (the network, a clock). The third rank has waits for other threads and processes
// of the program, which are in the report themselves.
inline constexpr std::size_t kRanks = 3;
std::size_t rank_of(Activity activity);

}  // namespace prof::analyze
