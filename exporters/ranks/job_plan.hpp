// Decides which ranks of which reports count, before any event is read.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/event_filter.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/ranks/report_ranks.hpp"

namespace prof::ranks {

struct PlannedReport {
  std::string path;
  std::vector<ReportRank> ranks;
};

// Says which events of a report count.
using FilterOf =
    std::function<base::Result<report::EventFilter>(const report::ReportReader& reader)>;

struct JobPlan {
  std::vector<PlannedReport> reports;
  std::vector<std::string> left_out;  // a line for each rank that is in a second report
  std::vector<std::string> remarks;   // ranks without a report, several jobs
};

// Takes the reports in their order. If a rank is in several reports, the first counts. If no report
// has a rank, each is a rank, counted from 0.
JobPlan plan_job(std::vector<PlannedReport> reports);

}  // namespace prof::ranks
