// Serves the traced processes of a session: polls them, and notices when they end. Admission lets
// them in, EventBuffer has their records, ProcessObservers look at them, CaptureSwitch says when
// they record.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "collector/session/admission/admission.hpp"
#include "collector/session/admission/live_processes.hpp"
#include "collector/session/event_loop.hpp"
#include "collector/session/session_context.hpp"
#include "collector/session/targets/capture_switch.hpp"
#include "collector/session/targets/event_buffer.hpp"
#include "collector/session/targets/process_observers.hpp"

namespace prof::session {

class TargetServer {
 public:
  TargetServer(const SessionContext& session, ControlServer control, spool::Arena arena);

  // Makes the processes sample themselves, every `period` ns of CPU time. Must be called before the
  // first of them joins.
  void sample_processes(std::uint64_t period);

  // Returns an error if the server cannot notice the end of processes.
  base::Status status() const { return ends_.status(); }

  // Lets processes join without an answer, unless prof must know something about them before they
  // run on. The last call before the first of them joins. If it fails, they wait for an answer.
  base::Status publish_reply();
  // Makes a process that joins wake the loop. Before, the next poll notices it.
  void watch_arrivals();

  // Handles a descriptor that became readable. Returns false if it does not belong to the server.
  bool handle(int fd);

  // True if a process has asked for a drain since the last one.
  bool is_drain_requested() const { return drain_requested_; }

  // When the processes record.
  CaptureSwitch& captures() { return captures_; }

  // One round: takes the published records, adds memory, finishes processes that have ended, drops
  // peers that never sent Hello, and listens again. Returns the bytes taken.
  std::uint64_t poll();

  // Makes the loop wake up from now on when a process ends. Before, the next poll is soon enough: a
  // process tree that starts a thousand programs a second would wake the collector twice as often
  // and take a CPU from the program.
  void watch_ends();

  // True if any process is in the session. Polls connections first.
  bool has_processes();
  // True if this process is in the session, or was until the last poll. Polls connections first.
  bool serves(pid_t pid);

  // Records a mark of the sender's process, or of another process if the sender is not in the
  // session. Returns false if the session has no process.
  bool mark(pid_t sender, const std::string& text);

  // Returns the processes that are in the session, according to the last poll.
  std::vector<pid_t> pids() const;

  // True if any process has joined the session so far.
  bool has_joined_any() const { return has_joined_any_; }

  // Returns how many steps the processes have begun (CaptureRangeOptions): the most of one process.
  std::uint64_t steps_begun() const;

  // A collection of a session on demand, in this order, with the steps of captures() in between.
  // take_everything() takes what processes have written so far. begin_collection() starts the
  // observers, and describes the processes in the spool. await_tracing() waits until the processes
  // have switched CUPTI on, which can take long. take_gpu_records() waits for GPU records that
  // CUPTI still holds when they are quiet again. end_collection() takes what is left. Those that
  // wait call `meanwhile` every millisecond, so that the buffers of other sources do not become
  // full.
  void take_everything();
  void begin_collection();
  void await_tracing(const std::function<void()>& meanwhile);
  void take_gpu_records(const std::function<void()>& meanwhile);
  void end_collection();

  // Writes what living processes have dropped since the last time.
  void note_drops();

  // Ends the session: makes every process stop recording and takes the rest.
  void close();

 private:
  wire::Reply common_reply() const;
  void add_process(const LiveProcess& process, const wire::Hello& hello);
  void poll_ended();
  void mark_ended(std::vector<LiveProcess> images);
  void finish_ended();
  std::uint64_t drain();
  using CuptiStates = std::function<bool(wire::CuptiState)>;
  std::vector<pid_t> wait_for_cupti(const CuptiStates& states, std::chrono::seconds patience,
                                    const std::function<void()>& meanwhile);

  const SessionContext session_;
  EventBuffer buffer_;
  LiveProcesses processes_;
  CaptureSwitch captures_;
  ProcessObservers observers_;
  Admission admission_;
  EventLoop ends_;                  // watches the pidfds
  std::vector<LiveProcess> ended_;  // processes whose last records have not been taken yet
  std::vector<pid_t> just_ended_;   // processes whose last records were taken by the last poll
  bool has_joined_any_ = false;
  bool drain_requested_ = false;
  std::map<std::uint32_t, spool::ProcessNote> notes_;  // of live process images
  std::uint64_t sample_period_ = 0;                    // 0: processes do not sample themselves
};

}  // namespace prof::session
