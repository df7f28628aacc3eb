// What the launching threads of a report do, as far as it counts for when they come to a collective
// operation.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/insight/intervals.hpp"
#include "exporters/analysis/insight/report_activity.hpp"
#include "exporters/ranks/delays/causes.hpp"
#include "exporters/ranks/delays/thread_details.hpp"

namespace prof::ranks {

class HostSpans {
 public:
  // Reads the calls of the threads that launch GPU work, and of `callers`. `activity` must outlive
  // the object.
  static base::Result<HostSpans> read(const report::ReportReader& reader,
                                      const insight::ReportActivity& activity,
                                      const std::set<std::int64_t>& callers);

  // Visits what the thread does in this time, without waits for the GPU and for messages. While it
  // waits for another launching thread, what that one does counts.
  void visit(std::int64_t global_tid, const insight::Interval& time,
             const std::function<void(const HostPiece&)>& visit) const;

 private:
  // What a call is. A wait does not count as time of the rank's own.
  enum class Kind : std::uint8_t {
    kWait,
    kWakeup,
    kSleep,
    kInput,
    kNetwork,
    kSystemCall,
    kLaunch,
    kCudaCall
  };
  struct Span {
    std::int64_t start;
    std::int64_t end;
    std::int64_t name;
    Kind kind;
  };
  struct Thread {
    std::vector<Span> spans;     // sorted; none is inside another one
    insight::Intervals loading;  // in ranges that load data
  };
  using Visit = std::function<void(const HostPiece&)>;

  void add_api_calls(const insight::ReportActivity& activity);
  base::Status add_runtime_calls(const report::ReportReader& reader);
  base::Status add_messages(const report::ReportReader& reader);
  void add_ranges(const events::RangeTree& ranges);
  void visit(std::int64_t global_tid, const insight::Interval& time, bool follows,
             const Visit& visit) const;
  std::int64_t peer_of(std::int64_t global_tid, const insight::Interval& time) const;
  static Cause cause_of(Kind kind);
  static Kind kind_of(std::string_view function);
  static bool is_blocked(const std::vector<std::int64_t>& launches,
                         const std::vector<std::int64_t>& starts, std::int64_t time);

  std::map<std::int64_t, Thread> threads_;  // by globalTid
  ThreadDetails details_;
};

}  // namespace prof::ranks
