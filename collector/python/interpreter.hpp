// Reads the call chains of the Python threads of a traced process from outside, without stopping
// it. A chain that changed while it was read is detected and dropped.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "collector/python/interpreter_memory.hpp"
#include "collector/python/thread_states.hpp"
#include "collector/spool/record_buffer.hpp"
#include "collector/spool/session_clock.hpp"

namespace prof::python {

struct SampleCounts {
  std::uint64_t taken = 0;
  std::uint64_t idle = 0;   // samples of threads that were not on a CPU
  std::uint64_t waits = 0;  // call chains of threads that had begun to wait
  std::uint64_t moved = 0;  // samples during whose reading a function was called or returned
  std::uint64_t torn = 0;   // samples that were not taken, because the chain changed at each try
};

class Interpreter {
 public:
  // `address`: the interpreter's address, as the process itself reports it (wire::ProcessSlot).
  Interpreter(pid_t pid, const InterpreterAddress& address, const spool::SessionClock& clock);
  Interpreter(const Interpreter&) = delete;
  Interpreter& operator=(const Interpreter&) = delete;

  // Takes one sample of every running thread, and notes where other threads wait. `time`: now, on
  // the session's clock. `periods`: how many sampling periods a sample stands for; each gets a
  // record. Returns false if prof may not read the process's memory.
  bool sample(std::uint64_t time, std::uint32_t periods, spool::RecordBuffer& records,
              SampleCounts& counts);

  int error() const { return memory_.error(); }

 private:
  using Code = InterpreterMemory::Code;
  struct KnownCode {
    Code code;
    std::uint64_t key;
  };

  // Memory around the innermost frame (0 if there is no frame), read at one moment.
  struct CopiedFrames {
    std::uint64_t frame = 0;
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    bool moved = false;  // a function was called or returned during the reading
  };

  void sample_thread(std::uint64_t state, pid_t thread, std::uint64_t time, std::uint32_t periods,
                     spool::RecordBuffer& records, SampleCounts& counts);
  std::vector<CurrentStates::Choice> threads_of(const std::vector<std::uint64_t>& states);
  struct IdleThread {
    std::uint64_t state;  // address of the thread state
    pid_t thread;
  };
  void note_waits(const std::vector<IdleThread>& idle, spool::RecordBuffer& records,
                  SampleCounts& counts);
  void note_wait(std::uint64_t state, pid_t thread, spool::RecordBuffer& records,
                 SampleCounts& counts);
  std::uint64_t send_chain(const std::vector<python_frames::PythonFrame>& frames,
                           std::uint8_t flags, spool::RecordBuffer& records);
  bool read_stack(std::uint64_t state, std::vector<python_frames::PythonFrame>& frames,
                  std::uint8_t& flags, bool& moved);
  bool take_snapshot(std::uint64_t state, CopiedFrames& snapshot);
  bool is_unchanged(std::uint64_t state, std::uint64_t frame);
  std::uint64_t key_of(std::uint64_t address, spool::RecordBuffer& records);
  std::uint64_t describe(const Code& code, spool::RecordBuffer& records);

  InterpreterMemory objects_;
  RemoteMemory& memory_;  // memory of `objects_`
  const spool::SessionClock clock_;
  ThreadStates threads_;
  CurrentStates current_;
  RemoteMemory::Places list_places_;  // blocks with the list of threads
  // Blocks with a thread's call chain, by thread state.
  std::unordered_map<std::uint64_t, RemoteMemory::Places> places_;
  std::unordered_map<std::uint64_t, KnownCode> codes_;  // by address
  std::size_t next_idle_ = 0;  // index of the thread whose wait is noted next
  // Turns at the last noted wait, by thread state.
  std::unordered_map<std::uint64_t, std::uint64_t> turns_;
  std::unordered_set<std::uint64_t> sent_;  // keys of code objects and hashes of call chains
};

}  // namespace prof::python
