// Statistics of what the ranks of a job have to do with one another.
#pragma once

#include <span>
#include <string_view>

#include "exporters/analysis/tables/table.hpp"
#include "exporters/ranks/collectives/job_collectives.hpp"

namespace prof::ranks {

struct JobStatistic {
  const char* name;
  const char* title;
  const char* help;
  PartDetails details;  // that it needs
  tables::Table (*run)(const JobCollectives& job);
};

std::span<const JobStatistic> job_statistics();
// Returns null if there is none of this name.
const JobStatistic* find_job_statistic(std::string_view name);

}  // namespace prof::ranks
