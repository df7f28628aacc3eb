// Serves the traced processes of a session: answers their Hellos, takes their records, and notices
// when they end.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "collector/python/sampler.hpp"
#include "collector/session/admission/arrivals.hpp"
#include "collector/session/chains/call_chain_context.hpp"
#include "collector/session/admission/control_server.hpp"
#include "collector/session/event_loop.hpp"
#include "collector/session/chains/event_call_chains.hpp"
#include "collector/session/admission/live_processes.hpp"
#include "collector/session/admission/program_names.hpp"
#include "collector/session/spool_recorder.hpp"
#include "collector/session/session_directory.hpp"
#include "collector/session/session_options.hpp"
#include "collector/session/admission/slow_peers.hpp"
#include "collector/spool/arena.hpp"
#include "collector/spool/arena_reader.hpp"

namespace prof::session {

class TargetServer {
 public:
  // The references outlive the server. `tick_rate`: of the session's clock, per second.
  TargetServer(const SessionOptions& options, ControlServer control, spool::Arena arena,
               SpoolRecorder& recorder, CallChainContext& stacks, const EventLoop& loop, bool use_tsc,
               double tick_rate);

  // Has the processes take samples of themselves, every `period` ns of CPU time. Before the first
  // of them joins.
  void sample_processes(CallChainContext& stacks, std::uint64_t period);

  // Lets processes join without an answer where nothing has to be known of them before they run on.
  // Comes last before the first of them. If it fails, they wait for an answer.
  base::Status leave_standing_reply(const SessionDirectory& directory);

  // A descriptor became readable; false if it is not one of ours.
  bool handle(int fd);

  // Did a target ask for a drain since the last one?
  bool is_urgent() const { return urgent_; }

  // Have all capture ranges been recorded?
  bool captures_are_over() const;

  // What has to be done now and then: takes what was published, makes room, looks after processes
  // that have ended and after peers that keep silent; listens again. Returns the bytes taken.
  std::uint64_t poll();

  // From now on the end of a process is a reason to call us. Before, the next poll is soon enough:
  // with a process tree that starts a thousand programs a second it would wake us, and take a CPU
  // from the program, twice as often.
  void watch_ends();

  // Is anybody there? Asks who has arrived in the meantime.
  bool has_processes();
  // Is that a process of the session, or was it until the last poll? Asks likewise.
  bool serves(pid_t pid);

  // Has any process joined the session?
  bool has_met_processes() const { return has_met_processes_; }

  // Ends the session: tells every process to stop recording and takes what is left.
  void close();

 private:
  void take_ended();
  bool accept();
  void greet(base::UniqueFd connection);
  void hear_everybody();
  void take_arrivals();
  void hear_silent_peers();
  // Who has joined by itself, at some time before `now`; and who asks to.
  void take_in(const wire::Arrival& arrival, std::uint64_t now);
  void let_in(const Introduction& introduction);
  void note_process(const LiveProcess& process, const wire::Hello& hello);
  void answer(const Introduction& introduction, const LiveProcess& process);
  void refuse(const Introduction& introduction, wire::ReplyStatus why);
  void tell_refusals();
  wire::Reply common_reply() const;
  // Copies what was published into the recording, frees chunks, and makes room. Returns the bytes
  // copied.
  std::uint64_t drain();
  void end(std::vector<LiveProcess> images);
  void close_books();
  nlohmann::json take_drops(std::uint32_t slot);
  void tell_unreachable(std::uint64_t processes);
  void make_room(const spool::ChunkCounts& owned);
  void tell_of_lack_of_room();
  void take_python_samples();
  void report_python_sampling();
  void take_stacks(CallChainContext& stacks);
  void make_event_stacks(CallChainContext& stacks) {
    event_stacks_ = std::make_unique<EventCallChains>(
        stacks, recorder_, TickClock(use_tsc_, tick_rate_), options_.stacks.osrt_depth);
  }

  const SessionOptions& options_;
  ControlServer control_;
  std::optional<Arrivals> arrivals_;  // none: all ask
  std::string session_;               // its directory, if there are; the arena likewise
  ino_t arena_inode_ = 0;
  spool::Arena arena_;
  spool::ArenaReader reader_;
  SpoolRecorder& recorder_;
  const EventLoop& loop_;
  bool use_tsc_;
  double tick_rate_;
  LiveProcesses processes_;
  ProgramNames programs_;
  EventLoop ends_;                  // their pidfds
  std::vector<LiveProcess> ended_;  // whose last records have not been taken yet
  std::vector<pid_t> just_ended_;   // whose were taken last
  std::uint64_t without_room_ = 0;  // processes that could not map the arena
  bool has_met_processes_ = false;
  SlowPeers silent_peers_;
  std::unordered_map<wire::ReplyStatus, std::uint64_t> refused_;
  std::uint64_t strangers_ = 0;
  bool header_spoiled_ = false;
  bool listens_ = true;
  std::unique_ptr<EventCallChains> event_stacks_;        // null: no stacks are copied
  bool copies_stacks_ = false;                       // of events
  std::uint64_t sample_period_ = 0;                  // 0: processes do not sample themselves
  std::unique_ptr<python::Sampler> python_sampler_;  // null: not asked for
  bool urgent_ = false;
};

}  // namespace prof::session
