// Prints statistics of what the ranks of a job have to do with one another.
#pragma once

#include "cli/output/stats/print_job_stats.hpp"

namespace prof::cli {

// Moves the names of such statistics out of `names`.
std::vector<std::string> take_rank_statistics(std::vector<std::string>& names);

// Prints the statistics of `names`, which all are such. Returns false if a report, or a rank of
// one, was left out. It was named on stderr.
bool print_rank_stats(const JobStatsRequest& request);

}  // namespace prof::cli
