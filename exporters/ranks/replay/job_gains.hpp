// What changes would save in a job of several ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "exporters/analysis/replay/change_times.hpp"
#include "exporters/analysis/replay/gains.hpp"
#include "exporters/analysis/replay/what_if.hpp"
#include "exporters/analysis/tables/table.hpp"
#include "exporters/ranks/replay/job_replay.hpp"
#include "exporters/ranks/replay/rank_work.hpp"

namespace prof::ranks {

struct JobPrediction {
  replay::Prediction job;
  struct Report {
    Unit unit;  // its first rank
    replay::Prediction times;
  };
  std::vector<Report> reports;
};

class JobGains {
 public:
  // `replay` and `reports` must outlive this object.
  JobGains(const JobReplay& replay, const std::vector<PlannedReport>& reports);

  // Predicts what the changes together would save. Fails if one of them concerns nothing.
  base::Result<JobPrediction> predict(const std::vector<replay::WhatIf>& changes) const;
  // Predicts what would be saved without stragglers, by a free network, and if a rank was as the
  // others, the largest gain first.
  base::Result<std::vector<replay::Prediction>> predict_usual() const;

 private:
  using Costs = std::vector<replay::Costs>;

  using Times = std::vector<replay::ChangeTimes>;  // by report
  base::Result<Times> read_times(const std::vector<replay::WhatIf>& changes) const;
  base::Result<std::size_t> apply(const replay::WhatIf& change, const Times& times,
                                  Costs& costs) const;
  std::size_t apply_to_network(const replay::WhatIf& change, Costs& costs) const;
  std::size_t apply_to_rank(const replay::WhatIf& change, Costs& costs) const;
  std::size_t level_ranks(const replay::WhatIf& change, Costs& costs) const;
  std::size_t level_operations(Costs& costs) const;

  const JobReplay& replay_;
  const std::vector<PlannedReport>& reports_;
  JobTimes measured_;
  JobTimes replayed_;  // without a change
  RankWork work_;
};

// The columns of the table of one report, with the rank. The first row is of the job.
tables::Table table_of(const JobPrediction& prediction);

// Returns the table of the changes together; without changes, of predict_usual().
base::Result<tables::Table> what_if_of_job(const std::vector<PlannedReport>& reports,
                                           const JobCollectives& collectives,
                                           const std::vector<replay::WhatIf>& changes,
                                           const FilterOf& filter_of);

// Predicts what would be saved if each of these ranks was as the median rank, one at a time.
// Nothing of a rank that has nothing to compare, and of all ranks if the replay without a change
// takes another time than the job did.
base::Result<std::vector<std::optional<replay::Prediction>>> gains_of_ranks(
    const std::vector<PlannedReport>& reports, const JobCollectives& collectives,
    const std::vector<std::int64_t>& ranks, const FilterOf& filter_of);

}  // namespace prof::ranks
