// Records the collections of a session on demand. The recorder serves the session's processes from
// the first launch on. Between collections it keeps only the definitions that they record.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "collector/prometheus/metrics_service.hpp"
#include "collector/session/admission/session_processes.hpp"
#include "collector/session/control/user_command.hpp"
#include "collector/session/drain_pace.hpp"
#include "collector/session/flight/flight_recorder.hpp"
#include "collector/session/interactive/launched_programs.hpp"
#include "collector/session/interactive/report_process.hpp"
#include "collector/session/kernel/kernel_sources.hpp"
#include "collector/session/metrics/metric_sources.hpp"
#include "collector/session/session_context.hpp"
#include "collector/session/targets/target_server.hpp"
#include "common/base/result.hpp"

namespace prof::session {

class CollectionRecorder {
 public:
  // `name` is the name of the session. `signals` and `write_reports` are used for the reports of a
  // flight recorder.
  // The references outlive the object.
  CollectionRecorder(const std::string& name, const SessionOptions& options, const EventLoop& loop,
                     const LaunchedPrograms& programs, const sigset_t& signals,
                     const WriteReports& write_reports);

  // Prepares the session. Call it before the first program is launched. `commands` is the path of
  // the socket for lines of text.
  base::Status prepare(const std::string& commands);

  // Returns null before prepare(). Do not call directory() and clock() before prepare().
  TargetServer* server() { return server_.get(); }
  const TargetServer* server() const { return server_.get(); }
  const std::string& directory() const { return directory_->path(); }
  const spool::SessionClock& clock() const { return *clock_; }
  bool has_metrics_endpoint() const { return endpoint_.has_value(); }
  // True if a process has the session in its environment, even if it has not joined the session.
  bool has_processes() const { return !processes_->find().empty(); }
  // Returns all processes of the session, including children that have not joined it, and programs
  // that have not called exec.
  std::vector<pid_t> processes() const;

  // Begins a collection. prof launch has printed `launch_warnings`; the report has them, too.
  base::Status begin(const std::string& output, const std::vector<std::string>& launch_warnings);
  bool is_recording() const { return kernel_.has_value(); }
  // Adds a program that waits to exec and is about to join the session.
  void add_program(pid_t pid) { kernel_->cpu.add(sampler::waiting_process(pid)); }
  // Takes the new records if a drain is due. Returns true if all capture ranges have been recorded.
  bool record();
  // Returns the time until the next drain is due, unless a process asks for one.
  std::chrono::milliseconds longest_wait() const;
  // Returns null unless the session is a flight recorder that is recording.
  FlightRecorder* flight() { return flight_ ? &*flight_ : nullptr; }
  const FlightRecorder* flight() const { return flight_ ? &*flight_ : nullptr; }

  // Ends the collection while the programs go on. `words` are the words of prof start. The report
  // has only the last `keep` of the collection; nothing: the whole collection.
  base::Result<FinishedCollection> end(const std::string& output, const Words& words,
                                       std::optional<std::chrono::nanoseconds> keep);
  // Ends the collection without a report.
  void drop();

 private:
  using Clock = std::chrono::steady_clock;

  SessionContext context();
  base::Result<spool::SpoolWriter> begin_flight(spool::SpoolWriter marker);
  void start_flight(const std::string& output);
  void follow_ranges();
  void after_collection_start();
  void report_failed_hooks();
  void write_edges(std::uint64_t end, std::optional<std::chrono::nanoseconds> keep);
  bool drain_sources(bool in_range);
  void take_all_records();
  void finish_recording();
  void forget_recording();

  const std::string& name_;
  const SessionOptions& options_;
  const EventLoop& loop_;
  const LaunchedPrograms& programs_;
  const sigset_t& signals_;
  const WriteReports& write_reports_;
  std::optional<SessionDirectory> directory_;
  std::optional<prometheus::MetricsService> endpoint_;
  SpoolRecorder recorder_;
  std::optional<CallChainContext> chains_;
  std::optional<spool::SessionClock> clock_;
  std::optional<SessionProcesses> processes_;
  std::unique_ptr<TargetServer> server_;
  // The state of the current collection.
  std::optional<KernelSources> kernel_;
  std::optional<MetricSources> metrics_;
  std::optional<DrainPace> pace_;
  std::uint64_t begin_ = 0;  // on the session's clock
  std::uint32_t ranges_begun_ = 0;
  StartedCommands started_hooks_;
  bool kernel_is_idle_ = true;
  Clock::time_point last_clock_{};
  // The state of a flight recorder.
  std::optional<FlightStorage> flight_storage_;  // until start_flight()
  std::optional<FlightRecorder> flight_;
  std::uint64_t oom_kills_ = 0;  // kills before the session began
};

}  // namespace prof::session
