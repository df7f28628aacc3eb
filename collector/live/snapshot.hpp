// What processes were doing at one moment, for output in words.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "collector/live/process_tree.hpp"

namespace prof::live {

// The system call that a thread was in.
struct SystemCall {
  std::uint32_t number = 0;
  std::array<std::uint64_t, 6> arguments{};
};

struct Frame {
  std::string function;       // "libfoo.so+0x1234" if its name is not known
  std::string module;         // path; empty for Python
  std::string file;           // source file; empty: not known
  int line = 0;               // 0: not known
  std::uint64_t address = 0;  // of the next instruction; 0 for Python and for inlined functions
  bool is_python = false;
  bool is_inlined = false;
  bool has_name = false;
};

enum class WaitKind : std::uint8_t {
  kNothing,  // the thread runs, or could run
  kLock,     // `holder` must release the lock
  kThread,   // `holder` must end
  kChild,    // a child process must end
  kPeer,     // another process must read or write
  kEvent,    // an event from outside: time, a signal, the network, a disk
  kUnknown,  // another thread, but prof does not know which one
};

struct Wait {
  WaitKind kind = WaitKind::kNothing;
  std::string text;           // "waits for mutex g_first (0x55aa)"
  std::uint64_t address = 0;  // address of the lock; 0: none
  pid_t holder = 0;           // a thread of the same process; 0: not known
  // kChild, kPeer: which processes must act, of those that are looked at. kLock: which processes
  // hold the lock of a file, of all that can be seen.
  std::vector<pid_t> processes;
  std::uint64_t pipe = 0;   // inode of the pipe that the thread reads or writes; 0: none
  bool reads = false;       // for a pipe: the thread reads it
  bool is_of_file = false;  // a lock of flock() or fcntl()
  // A lock of Python's threading module, or an object that is built on one.
  bool is_of_python = false;
  // `holder` is not recorded anywhere, but follows from what the threads do.
  bool is_probable = false;
};

// A task of asyncio.
struct AsyncTask {
  std::string name;
  std::vector<Frame> frames;  // innermost first
  std::string awaits;         // "awaits a future"
};

struct Thread {
  pid_t id = 0;
  std::string name;
  char state = '?';           // as in /proc/PID/task/TID/stat
  std::string problem;        // why there are no frames; empty: the thread has frames
  std::vector<Frame> frames;  // innermost first
  std::string chain_end;      // why the call chain is cut; empty: it is complete
  std::string call;  // the call of CUDA, NCCL, MPI or another library that the thread is in
  Wait wait;
  std::uint64_t stopped_ns = 0;
  std::optional<SystemCall> system_call = std::nullopt;
  // Its process and others wait for one another; see circles.hpp.
  bool is_in_circle = false;
  // The tasks of the asyncio loop that the thread runs.
  std::vector<AsyncTask> tasks = {};

  // Returns the innermost frames that are useful to a programmer: not those of the C library.
  // Returns at least one if the thread has frames with names.
  std::vector<const Frame*> places(std::size_t most) const;
};

struct ProcessState {
  Process process;
  std::string problem;  // why there are no threads; empty: the process has threads
  std::vector<Thread> threads;
  bool uses_gpu = false;  // the process has loaded CUDA's driver

  const Thread* find(pid_t thread) const;
  // Returns the thread that represents the process.
  const Thread* main_thread() const;
};

// Returns a text such as "python3 4711" or "rank 3".
std::string label(const Process& process);
// Returns a text such as "thread 12 \"loader\"".
std::string label(const Thread& thread);
// Returns a text such as "is stopped by a signal; kill -CONT 12 lets it go on".
std::string stopped_text(const std::vector<pid_t>& processes);
// Returns a text such as "awaits a future in sleep() (tasks.py:5), called by load() (train.py:12)".
std::string text_of(const AsyncTask& task);
// Returns a text such as "load() (train.py:12), called by step() (train.py:31)"; empty if the
// thread has no frames.
std::string place_of(const Thread& thread);

}  // namespace prof::live
