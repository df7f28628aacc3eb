// The critical path of a job, from rank to rank. It is found without the events of the reports:
// each report is asked once for the way between the operations of several ranks, and those that
// the path visits are read again, to say what it leads through.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "exporters/analysis/path/backward_walk.hpp"
#include "exporters/ranks/collectives/job_collectives.hpp"
#include "exporters/ranks/path/job_events.hpp"
#include "exporters/ranks/path/job_execution.hpp"
#include "exporters/ranks/path/path_steps.hpp"

namespace prof::ranks {

// The segments of one report that are on the path, and their times on the common clock.
struct ReportPath {
  std::vector<path::Segment> segments;
  std::vector<std::int64_t> starts;
  std::vector<std::int64_t> durations;
};

class JobWalk {
 public:
  // `collectives` must outlive this object.
  explicit JobWalk(const JobCollectives& collectives);

  // What find_steps() is asked of a report. Different reports may be taken by different threads.
  const std::vector<RecordedPart>& parts_of(std::size_t report) const { return parts_[report]; }
  void take(std::size_t report, PathSteps steps) { reports_[report] = std::move(steps); }

  // Finds the path. All reports must have been taken.
  void run();
  std::int64_t begin() const { return begin_; }      // ns, common
  std::int64_t elapsed() const { return elapsed_; }  // ns
  bool visits(std::size_t report) const { return !visits_[report].empty(); }
  ReportPath path_through(std::size_t report, const ReportExecution& execution) const;

 private:
  // A rank's arrival at an operation, from which the path goes on.
  struct Arrival {
    std::size_t report;
    std::uint32_t step;
  };
  // The path comes to a report: from another one, or at its end.
  struct Visit {
    path::Place place;
    std::int64_t time;  // ns, common
    bool comes_from_other;
  };
  // A part of the path through a report.
  class Through;

  std::int64_t common(std::size_t report, std::int64_t time) const {
    return collectives_.alignment.common(report, time);
  }
  // The time before which the way from a place is not followed any more.
  std::int64_t limit(std::size_t report, std::int64_t begin, const path::Place& place) const;
  // Calls `take` for the parts in the operations, always in the same order. It returns what is
  // known of the part.
  template <class Take>
  void visit_operations(Take take);
  template <class Take>
  void visit(const MatchedCollective& collective, Take take);
  template <class Take>
  void visit(const MatchedDirection& messages, Take take);
  void keep_last(std::size_t report, const JobEvent& event, const Arrival& arrival);
  std::int64_t time_of(const Arrival& arrival) const;
  const Arrival* last_arrival(std::size_t report, const std::optional<JobEvent>& event) const;
  void walk(std::size_t report);

  const JobCollectives& collectives_;
  // By report:
  std::vector<std::vector<RecordedPart>> parts_;
  std::vector<PathSteps> reports_;
  std::vector<std::map<JobEvent, Arrival>> arrivals_;
  std::vector<std::vector<Visit>> visits_;
  std::int64_t begin_ = 0;    // ns, common
  std::int64_t elapsed_ = 0;  // ns
};

}  // namespace prof::ranks
