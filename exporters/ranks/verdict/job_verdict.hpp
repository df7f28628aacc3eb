// What bounds a job of several ranks.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "exporters/analysis/analyze/findings/finding.hpp"
#include "exporters/ranks/collectives/job_collectives.hpp"

namespace prof::ranks {

struct JobVerdict {
  // The findings are about late ranks. Without one, the verdict has what the ranks wait, and the
  // rank that waits least says what else bounds the job.
  analyze::Diagnosis diagnosis;
  std::optional<std::size_t> typical;  // that rank: an index into JobCollectives::ranks
};

// Returns nothing if no operation of several ranks was matched. `job` has PartDetails::kOwnTimes.
base::Result<std::optional<JobVerdict>> job_verdict(const JobCollectives& job);

// Adds what bounds the typical rank.
void add_typical(const JobCollectives& job, const analyze::Diagnosis& typical, JobVerdict& verdict);

}  // namespace prof::ranks
