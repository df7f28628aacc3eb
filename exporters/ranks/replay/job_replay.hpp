// Runs the executions of all ranks of a job forward again: collective operations and messages wait
// for the ranks that take part.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "exporters/analysis/replay/execution_replay.hpp"
#include "exporters/ranks/path/job_events.hpp"
#include "exporters/ranks/path/job_execution.hpp"

namespace prof::ranks {

// Elapsed times in ns.
struct JobTimes {
  std::int64_t job = 0;
  std::vector<std::int64_t> reports;
};

class JobReplay {
 public:
  // `job` must outlive this object.
  explicit JobReplay(const JobExecution& job);

  const JobExecution& job() const { return job_; }
  const replay::ReplayModel& model(std::size_t report) const { return *models_[report]; }
  std::vector<replay::Costs> measured_costs() const;
  JobTimes measured() const;
  // `costs` are those of each report.
  JobTimes replay(const std::vector<replay::Costs>& costs) const;

  // A rank's part in a collective operation.
  struct Arrival {
    std::size_t rank;        // index into JobCollectives::ranks
    std::size_t collective;  // a number of the operation
    std::int64_t time;       // ns of the report: of the launch, or of the call
  };
  const std::vector<Arrival>& arrivals() const { return arrivals_; }
  // The operations and calls that wait for other ranks.
  struct Part {
    std::size_t report;
    JobEvent event;
  };
  const std::vector<Part>& parts() const { return parts_; }

 private:
  friend class ReportMeetings;

  struct Member {
    JobEvent event;
    std::int64_t offset = 0;  // from the report's clock to the common one, ns
    std::int64_t transfer = 0;
    std::vector<std::size_t> comes_to;  // meetings
    std::vector<std::size_t> waits_for;
  };

  void add(JobEvents& events, const MatchedCollective& collective);
  void add(JobEvents& events, const MatchedDirection& messages);
  Member& member(std::size_t report, const JobEvent& event, std::int64_t time);
  void wait(Member& member, std::size_t meeting, std::int64_t transfer);
  void finish();
  std::int64_t begin_of_job() const;

  const JobExecution& job_;
  std::vector<std::unique_ptr<replay::ReplayModel>> models_;
  std::vector<std::vector<Member>> members_;                       // by report
  std::vector<std::map<JobEvent, std::uint32_t>> member_numbers_;  // by report
  std::vector<std::size_t> comers_;                                // by meeting
  std::vector<Arrival> arrivals_;
  std::vector<Part> parts_;
  std::vector<bool> decides_on_end_;  // by report
  std::size_t collectives_ = 0;
};

}  // namespace prof::ranks
