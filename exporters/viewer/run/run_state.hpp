// What the page of a job knows: what its ranks do over time, who waits for whom, how long steps
// take, the critical path, and the verdict.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "exporters/ranks/collectives/job_collectives.hpp"
#include "exporters/ranks/path/job_path.hpp"
#include "exporters/ranks/picture/rank_picture.hpp"
#include "exporters/ranks/verdict/job_verdict.hpp"

namespace prof::view {

struct RunRank {
  ranks::Unit unit;  // with a rank
  std::int64_t attempt = 0;
  std::size_t report = 0;  // index into RunRanks::reports
  ranks::RankPicture picture;
};

// What is known first.
struct RunRanks {
  std::vector<ranks::PlannedReport> reports;
  std::vector<RunRank> ranks;         // sorted by rank
  std::vector<std::string> left_out;  // a line for each report and rank that cannot be shown
  std::vector<std::string> remarks;   // ranks without a report, several jobs
  ranks::Alignment alignment;         // of the reports, by the clocks of their machines
};

// A row of the statistic rank_wait_sum.
struct RankWait {
  std::int64_t wait;  // ns
  std::int64_t rank;
  std::int64_t waits_for;
  std::int64_t operations;
  std::int64_t longest;  // ns
};

// A row of the statistic delay_sum.
struct RankDelayRow {
  std::int64_t delay;  // ns
  std::int64_t rank;
  std::string cause;
  std::string steps;  // "in every step"
  std::int64_t late;  // ns
};

// The durations of a step on all ranks, in ns.
struct StepBand {
  std::int64_t from = 0;  // on the common clock: from the first begin to the last end
  std::int64_t to = 0;
  std::int64_t least = 0;
  double first_quartile = 0;
  double median = 0;
  double third_quartile = 0;
  std::int64_t most = 0;
  std::optional<std::size_t> longest;  // the rank: index into RunRanks::ranks
  std::size_t ranks = 0;               // number of ranks that have the step
};

// What is known after all collective operations have been matched.
struct RunCollectives {
  ranks::JobCollectives job;
  std::vector<std::optional<std::size_t>> parts;  // of each report: its number in `job`
  // Of JobCollectives::ranks: the index into RunRanks::ranks. Processes without a rank have none.
  std::vector<std::optional<std::size_t>> ranks;
  std::vector<RankWait> waits;
  std::vector<RankDelayRow> delays;
  std::vector<StepBand> steps;
  std::string steps_found_by;  // "NVTX range :step"
  // By rank (RunRanks::ranks): the share of each bin of its picture in which it waits for another
  // rank. They are part of RankState::kCommunication.
  std::vector<std::vector<std::uint8_t>> wait_shares;
  std::optional<ranks::JobVerdict> verdict;
};

struct RunState {
  std::uint64_t version = 0;                          // increases with each change
  bool is_complete = false;                           // nothing more comes
  std::shared_ptr<const RunRanks> ranks;              // null until it is known
  std::shared_ptr<const RunCollectives> collectives;  // null until it is known
  std::shared_ptr<const ranks::JobPath> path;         // null until it is known
  std::vector<std::string> faults;                    // why a part is missing

  // The time of a report on the clock of all.
  std::int64_t common(std::size_t report, std::int64_t time) const;
  // The error of that clock in a report, ns. Nothing: its clock cannot be compared.
  std::optional<double> clock_error(std::size_t report) const;
  // The time of a report at a time on that clock.
  std::int64_t of_report(std::size_t report, std::int64_t common_time) const;
};

}  // namespace prof::view
