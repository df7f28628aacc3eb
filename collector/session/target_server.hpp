// Serves the traced processes of a session: answers their Hellos, takes their records, and notices
// when they end.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>

#include "collector/ingest/arena.hpp"
#include "collector/ingest/arena_reader.hpp"
#include "collector/python/sampler.hpp"
#include "collector/session/control_server.hpp"
#include "collector/session/event_loop.hpp"
#include "collector/session/live_processes.hpp"
#include "collector/session/recorder.hpp"
#include "collector/session/session_options.hpp"

namespace prof::session {

class TargetServer {
 public:
  // The references outlive the server. `tick_rate`: of the session's clock, per second.
  TargetServer(const SessionOptions& options, ControlServer control, ingest::Arena arena,
               Recorder& recorder, const EventLoop& loop, bool use_tsc, double tick_rate);

  // A descriptor became readable; false if it is not one of ours.
  bool handle(int fd);

  // Copies what was published into the recording, frees chunks, and makes room. Returns the bytes
  // copied.
  std::uint64_t drain();

  // Did a target ask for a drain since the last one?
  bool is_urgent() const { return urgent_; }

  // Have all capture ranges been recorded?
  bool captures_are_over() const;

  // Looks after processes that have ended.
  void poll();

  bool has_processes() const { return !processes_.empty(); }

  // Ends the session: tells every process to stop recording and takes what is left.
  void close();

 private:
  void accept();
  void greet(base::UniqueFd connection);
  void refuse(const Introduction& introduction);
  wire::Reply reply_for(const LiveProcess& process) const;
  std::uint64_t ticks(std::uint64_t nanoseconds) const;  // of the session's clock
  void add_domain_filter(wire::Reply& reply) const;
  void end(std::vector<LiveProcess> images);
  void close_books();
  nlohmann::json take_drops(std::uint32_t slot);
  void make_room(const ingest::ChunkCounts& owned);
  void take_python_samples();
  void report_python_sampling();

  const SessionOptions& options_;
  ControlServer control_;
  ingest::Arena arena_;
  ingest::ArenaReader reader_;
  Recorder& recorder_;
  const EventLoop& loop_;
  bool use_tsc_;
  double tick_rate_;
  LiveProcesses processes_;
  std::unique_ptr<python::Sampler> python_sampler_;  // null: not asked for
  std::vector<LiveProcess> ended_;                   // whose last records have not been taken yet
  std::unordered_map<int, base::UniqueFd> connections_;  // accepted, waiting for their Hello
  bool urgent_ = false;
};

}  // namespace prof::session
