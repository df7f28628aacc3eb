// What processes were doing at one moment, in words.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "collector/live/process_tree.hpp"

namespace prof::live {

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
  kNothing,  // it runs, or could run
  kLock,     // `holder` has to release it
  kThread,   // `holder` has to end
  kChild,    // a child process has to end
  kPeer,     // another process has to read or write
  kEvent,    // something from outside: time, a signal, the network, a disk
  kUnknown,  // another thread, but which one is not known
};

struct Wait {
  WaitKind kind = WaitKind::kNothing;
  std::string text;           // "waits for mutex g_first (0x55aa)"
  std::uint64_t address = 0;  // of the lock; 0: none
  pid_t holder = 0;           // a thread of the same process; 0: not known
  std::vector<pid_t>
      processes;              // kChild, kPeer: who has to act, of the processes that were looked at
  bool is_of_python = false;  // for a lock of Python's threading module, or what is made of one
};

struct Thread {
  pid_t id = 0;
  std::string name;
  char state = '?';           // as in /proc/PID/task/TID/stat
  std::string problem;        // why there are no frames; empty: there are
  std::vector<Frame> frames;  // innermost first
  std::string chain_end;      // why the call chain ends before its beginning; empty: it does not
  std::string call;           // the call of CUDA, NCCL, MPI or another library that it is in
  Wait wait;
  std::uint64_t stopped_ns = 0;

  // The innermost frames that say something to a programmer: not those of the C library. At least
  // one, if there are frames.
  std::vector<const Frame*> places(std::size_t most) const;
};

struct ProcessState {
  Process process;
  std::string problem;  // why there are no threads; empty: there are
  std::vector<Thread> threads;
  bool uses_gpu = false;  // it has loaded CUDA's driver

  const Thread* find(pid_t thread) const;
  // The thread that stands for the process.
  const Thread* main_thread() const;
};

// "python3 4711", "rank 3"
std::string label(const Process& process);
// "thread 12 \"loader\""
std::string label(const Thread& thread);
// "load() (train.py:12), called by step() (train.py:31)"; empty if it has no frames
std::string place_of(const Thread& thread);

}  // namespace prof::live
