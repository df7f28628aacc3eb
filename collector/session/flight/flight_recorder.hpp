// A flight recorder: keeps the last seconds of what a session records, and writes them as a report
// when a user requests it, a trigger fires, or the session ends.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "collector/session/flight/flight_storage.hpp"
#include "collector/session/flight/trigger_watch.hpp"
#include "collector/session/interactive/report_process.hpp"
#include "collector/session/session_context.hpp"
#include "common/base/unique_fd.hpp"

namespace prof::session {

class FlightRecorder {
 public:
  // Functions of the recording that the flight recorder needs.
  struct Sources {
    std::function<void()> take_everything;  // drains all sources
    std::function<void()> note_drops;
    std::function<int()> error;  // descriptor for messages; -1: the collector's stderr
  };
  // The storage has begun, and the session's recorder writes to it.
  FlightRecorder(const SessionContext& session, FlightStorage storage, std::string output,
                 Sources sources, const sigset_t& signals, WriteReports write_reports);
  ~FlightRecorder();
  FlightRecorder(const FlightRecorder&) = delete;

  // A report that a user requests.
  struct Request {
    const char* by = "request";
    std::string output{};  // empty: the name with the next number
    bool overwrite = false;
    base::UniqueFd out{};
    base::UniqueFd error{};
    std::function<void(int status, const std::string& output)> done{};
  };
  void request(Request request);

  // Called when records have been drained. Returns after a short time.
  void turn();

  // Ends the flight recorder with the session. `cause` says how the session ended. Returns the
  // recording for the last report. The session's recorder has written its end already.
  base::Result<FinishedCollection> finish(const std::string& cause, bool overwrite);

  // Writes the pending reports, and waits until all reports are complete.
  void finish_reports();

 private:
  using Clock = std::chrono::steady_clock;

  struct Pending {
    Request request;
    std::vector<spool::SnapshotCause> causes;
    std::uint64_t end;  // on the session's clock
    Clock::time_point due;
    bool by_trigger = false;
  };
  struct Writer {
    pid_t pid;
    std::string output;
    std::function<void(int, const std::string&)> done;
  };

  void check_triggers(const spool::ClockTriple& now);
  bool may_write_another();
  void write(Pending pending);
  void reap(bool wait);
  std::string next_output();
  spool::SnapshotContent content(std::vector<spool::SnapshotCause> causes, std::uint64_t end);
  std::uint64_t oldest(const spool::ClockTriple& now) const;

  const SessionContext session_;
  const FlightOptions& options_;
  FlightStorage storage_;
  const std::string output_;
  const Sources sources_;
  const sigset_t& signals_;
  const WriteReports write_reports_;
  const std::chrono::nanoseconds settle_;  // time until the GPUs' records have arrived
  std::unique_ptr<TriggerWatch> watch_;    // null: no triggers
  std::vector<Pending> pending_;
  std::vector<Writer> writers_;
  std::deque<Clock::time_point> written_;  // reports caused by triggers in the last hour
  std::uint64_t suppressed_ = 0;           // causes since the last report
  bool suppression_told_ = false;
  unsigned number_ = 0;
  Clock::time_point last_clock_{};
};

// Returns how often the kernel has killed a process because memory was short.
std::uint64_t oom_kills();
// Returns a sentence on how the program ended. `status`: as in a shell; negative: the program goes
// on, or its status is not known.
inline constexpr int kUnknownStatus = -2;
std::string ending_text(int status, std::uint64_t oom_kills_before);

}  // namespace prof::session
