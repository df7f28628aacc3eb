// A flight recorder: keeps the last seconds of what a session records, and writes them as a report
// when somebody asks for it, a trigger fires, or the session ends.
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
  // What a recording has besides.
  struct Sources {
    std::function<void()> take_everything;  // drains all there is
    std::function<void()> note_drops;
    std::function<int()> error;  // where messages go; -1: as the collector
  };
  // The storage has begun, and the recorder of the session writes to it.
  FlightRecorder(const SessionContext& session, FlightStorage storage, std::string output,
                 Sources sources, const sigset_t& signals, WriteReports write_reports);
  ~FlightRecorder();
  FlightRecorder(const FlightRecorder&) = delete;

  // A report that somebody asks for.
  struct Request {
    const char* by = "request";
    std::string output{};  // empty: the next number
    bool overwrite = false;
    base::UniqueFd out{};
    base::UniqueFd error{};
    std::function<void(int status, const std::string& output)> done{};
  };
  void request(Request request);

  // Called when records have been drained. Returns soon.
  void turn();

  // The session is over: `cause` is how. Returns what is left to be written as the last report.
  // The recorder of the session has written its end.
  base::Result<FinishedCollection> finish(const std::string& cause, bool overwrite);

  // Writes what is about to be written, and waits until all reports are there.
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
  const std::chrono::nanoseconds settle_;  // until GPUs' records are there
  std::unique_ptr<TriggerWatch> watch_;    // null: no triggers
  std::vector<Pending> pending_;
  std::vector<Writer> writers_;
  std::deque<Clock::time_point> written_;  // by triggers, in the last hour
  std::uint64_t suppressed_ = 0;           // causes since the last report
  bool suppression_told_ = false;
  unsigned number_ = 0;
  Clock::time_point last_clock_{};
};

// How often the kernel has killed a process because memory was short.
std::uint64_t oom_kills();
// A sentence on how the program ended. `status`: as of a shell; negative: it goes on, or nobody
// knows.
inline constexpr int kUnknownStatus = -2;
std::string ending_text(int status, std::uint64_t oom_kills_before);

}  // namespace prof::session
