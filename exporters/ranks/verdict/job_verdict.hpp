// What bounds a job of several ranks.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "exporters/analysis/analyze/findings/finding.hpp"
#include "exporters/ranks/collectives/job_collectives.hpp"
#include "exporters/ranks/delays/code_places.hpp"
#include "exporters/ranks/job_plan.hpp"

namespace prof::ranks {

struct JobVerdict {
  // The findings are about late ranks. Without one, the verdict has what the ranks wait, and the
  // rank that waits least says what else bounds the job.
  analyze::Diagnosis diagnosis;
  std::optional<std::size_t> typical;      // that rank: an index into JobCollectives::ranks
  std::vector<std::size_t> late = {};      // the rank of each finding about a late rank
  std::vector<bool> is_slow_network = {};  // of these findings: they are about slow transfers
};

// Returns nothing if no operation of several ranks was matched. `job` has PartDetails::kOwnTimes.
// `find_lines` finds source lines of late ranks.
base::Result<std::optional<JobVerdict>> job_verdict(const JobCollectives& job,
                                                    const FindLines& find_lines);

// Replaces what the findings about late ranks would save, which is an estimate, by what a replay of
// the job predicts. A replay holds the events of all reports in memory, so the estimates stay in a
// large job, and if a report cannot be read again.
void add_gains(const std::vector<PlannedReport>& reports, const JobCollectives& job,
               const FilterOf& filter_of, JobVerdict& verdict);

// Adds what bounds the typical rank.
void add_typical(const JobCollectives& job, const analyze::Diagnosis& typical, JobVerdict& verdict);

}  // namespace prof::ranks
