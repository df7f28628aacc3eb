// Serves the traced processes of a session: takes their records, provides room in the event buffer,
// and notices when they end. Admission lets them in.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "collector/python/sampler.hpp"
#include "collector/session/admission/admission.hpp"
#include "collector/session/admission/live_processes.hpp"
#include "collector/session/chains/event_call_chains.hpp"
#include "collector/session/event_loop.hpp"
#include "collector/session/session_context.hpp"
#include "collector/spool/arena.hpp"
#include "collector/spool/arena_reader.hpp"

namespace prof::session {

class TargetServer {
 public:
  TargetServer(const SessionContext& session, ControlServer control, spool::Arena arena);

  // Has the processes sample themselves, every `period` ns of CPU time. Has to be called before the
  // first of them joins.
  void sample_processes(std::uint64_t period);

  // An error if it cannot notice the end of processes.
  base::Status status() const { return ends_.status(); }

  // Lets processes join without an answer, unless something has to be known of them before they run
  // on. The last call before the first of them joins. If it fails, they wait for an answer.
  base::Status publish_reply();
  // A process that joins wakes the loop. Otherwise the next poll notices it.
  void watch_arrivals();

  // Handles a descriptor that became readable. False if it is not one of the server's.
  bool handle(int fd);

  // Has a process asked for a drain since the last one?
  bool is_drain_requested() const { return drain_requested_; }

  // Has anything been recorded since the last call? False between two capture ranges.
  bool has_captured();

  // Of this collection, so far.
  std::uint32_t ranges_begun() const;

  // Have all capture ranges been recorded?
  bool are_captures_done() const;

  // One round: takes what was published, provides room, finishes processes that have ended, drops
  // peers that never said Hello, and listens again. Returns the bytes taken.
  std::uint64_t poll();

  // From now on the loop wakes up when a process ends. Before, the next poll is soon enough: a
  // process tree that starts a thousand programs a second would wake the collector twice as often
  // and take a CPU from the program.
  void watch_ends();

  // Is any process in the session? Polls connections first.
  bool has_processes();
  // Is this process in the session, or was it until the last poll? Polls connections first.
  bool serves(pid_t pid);

  // Records a mark of the sender's process, or of another one if the sender is not in the session.
  // False: there is no process.
  bool mark(pid_t sender, const std::string& text);

  // The processes that are in the session, as far as the last poll knows.
  std::vector<pid_t> pids() const;

  // Has any process joined the session so far?
  bool has_joined_any() const { return has_joined_any_; }

  // A collection of a session on demand, in this order. take_everything() takes what processes have
  // written so far. begin_collection() starts what looks at processes from outside, and describes
  // the processes in the spool. begin_tracing() makes them switch CUPTI on; await_tracing() waits
  // until they have, which can take long. wake_processes() makes them record everything, at once.
  // quiet_processes() ends that, except for GPU records that CUPTI still holds: take_gpu_records()
  // waits for them. end_collection() takes what is left. Those that wait call `meanwhile` every
  // millisecond, so that the buffers of other sources do not become full.
  void take_everything();
  void begin_collection();
  void begin_tracing();
  void await_tracing(const std::function<void()>& meanwhile);
  void wake_processes();
  void quiet_processes();
  void take_gpu_records(const std::function<void()>& meanwhile);
  void end_collection();

  // Writes what processes that go on have dropped since the last time.
  void note_drops();

  // Ends the session: makes every process stop recording and takes what is left.
  void close();

 private:
  // The processes whose GPU work is not traced yet.
  std::vector<pid_t> not_traced_yet() const;
  // The processes that may have GPU records which have not been fetched. `with_starting`: also
  // those in which CUPTI is still being enabled, so that they have none yet.
  std::vector<pid_t> not_fetched_yet(bool with_starting) const;
  std::vector<pid_t> processes_in(const std::function<bool(wire::CuptiState)>& is_it) const;
  // Drains until there are none; returns those that are left after this time (0: no limit).
  std::vector<pid_t> wait_until_none(const std::function<std::vector<pid_t>()>& processes,
                                     std::chrono::seconds patience,
                                     const std::function<void()>& meanwhile);
  void start_observers();
  void stop_observers();
  void create_call_chains();
  void wait_for_known();
  wire::Reply common_reply() const;
  void add_process(const LiveProcess& process, const wire::Hello& hello);
  void poll_ended();
  void mark_ended(std::vector<LiveProcess> images);
  void finish_ended();
  spool::Drops take_drops(std::uint32_t slot);
  void report_open_drops();
  std::uint64_t drain();
  bool is_time_for_counters();
  void provide_room(const spool::ChunkCounts& owned);
  void drain_python_samples();
  void report_obstacle(bool chosen, const std::string& text);
  void report_python_sampling();
  void report_damage();

  const SessionContext session_;
  spool::Arena arena_;
  spool::ArenaReader reader_;
  LiveProcesses processes_;
  Admission admission_;
  EventLoop ends_;                  // watches the pidfds
  std::vector<LiveProcess> ended_;  // their last records have not been taken yet
  std::vector<pid_t> just_ended_;   // their last records were taken by the last poll
  bool has_joined_any_ = false;
  bool drain_requested_ = false;
  bool was_capturing_ = false;
  std::uint32_t captures_left_ = 0;
  std::chrono::steady_clock::time_point last_counters_{};  // of short calls, of all chunks
  bool is_header_damaged_ = false;
  std::map<std::uint32_t, spool::ProcessNote> notes_;  // of live process images
  std::unique_ptr<EventCallChains> call_chains_;       // null: no stacks are copied
  bool copies_stacks_ = false;                         // of calls
  std::uint64_t sample_period_ = 0;                    // 0: processes do not sample themselves
  std::unique_ptr<python::Sampler> python_sampler_;    // null: not requested
};

}  // namespace prof::session
