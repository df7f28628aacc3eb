#include "exporters/ranks/path/job_execution.hpp"

#include <utility>

#include "exporters/analysis/events/report_views.hpp"

namespace prof::ranks {

base::Result<report::ReportReader> ReportExecution::open() const {
  auto reader = report::ReportReader::open(path);
  if (!reader) return reader;
  if (const base::Status made = events::make_views(*reader, filter); !made)
    return tl::make_unexpected(made.error());
  return reader;
}

base::Result<JobExecution> read_execution(const std::vector<PlannedReport>& reports,
                                          const FilterOf& filter_of, const CommonClock& clock) {
  JobExecution result;
  std::vector<ReportPart> parts;
  for (const PlannedReport& each : reports) {
    const auto reader = report::ReportReader::open(each.path);
    if (!reader) return tl::make_unexpected(reader.error());
    // All collective operations are matched, also those that the filter leaves out.
    if (const base::Status made = events::make_views(*reader, {}); !made)
      return tl::make_unexpected(made.error());
    auto part = read_part(*reader, each.ranks);
    if (!part) return tl::make_unexpected(part.error());
    const auto filter = filter_of(*reader);
    if (!filter) return tl::make_unexpected(filter.error());
    if (const base::Status made = events::make_views(*reader, *filter); !made)
      return tl::make_unexpected(made.error());
    auto model = path::ExecutionModel::read(*reader);
    if (!model) return tl::make_unexpected(model.error());
    if (const base::Status finished = reader->finish(); !finished)
      return tl::make_unexpected(finished.error());
    parts.push_back(*std::move(part));
    result.reports.push_back({each.path, *filter, *std::move(model)});
  }
  result.collectives = match_job(std::move(parts), clock);
  return result;
}

}  // namespace prof::ranks
