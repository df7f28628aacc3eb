#include "exporters/ranks/path/job_execution.hpp"

#include <utility>

#include "exporters/analysis/events/report_views.hpp"
#include "exporters/ranks/read_parts.hpp"

namespace prof::ranks {

base::Result<report::ReportReader> ReportExecution::open() const {
  auto reader = report::ReportReader::open(path);
  if (!reader) return reader;
  if (const base::Status made = events::make_views(*reader, filter); !made)
    return tl::make_unexpected(made.error());
  return reader;
}

base::Result<JobCollectives> read_collectives(const std::vector<PlannedReport>& reports,
                                              const CommonClock& clock) {
  std::vector<std::string> faults;
  std::vector<ReportPart> parts = read_parts(reports, {}, faults);
  if (!faults.empty()) return base::fail(faults.front());
  return match_job(std::move(parts), clock);
}

base::Result<ReportExecution> read_execution(const PlannedReport& report,
                                             const FilterOf& filter_of) {
  const auto reader = report::ReportReader::open(report.path);
  if (!reader) return tl::make_unexpected(reader.error());
  const auto filter = filter_of(*reader);
  if (!filter) return tl::make_unexpected(filter.error());
  if (const base::Status made = events::make_views(*reader, *filter); !made)
    return tl::make_unexpected(made.error());
  auto model = path::ExecutionModel::read(*reader);
  if (!model) return tl::make_unexpected(model.error());
  if (const base::Status finished = reader->finish(); !finished)
    return tl::make_unexpected(finished.error());
  return ReportExecution{report.path, *filter, *std::move(model)};
}

base::Result<JobExecution> read_execution(const std::vector<PlannedReport>& reports,
                                          const JobCollectives& collectives,
                                          const FilterOf& filter_of) {
  if (reports.size() != collectives.paths.size())
    return base::fail("not all reports of the job could be read");
  JobExecution result{{}, collectives};
  for (const PlannedReport& each : reports) {
    auto execution = read_execution(each, filter_of);
    if (!execution) return tl::make_unexpected(execution.error());
    result.reports.push_back(*std::move(execution));
  }
  return result;
}

}  // namespace prof::ranks
