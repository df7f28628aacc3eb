#include "cli/output/compared_reports.hpp"

#include "cli/output/report_access.hpp"
#include "cli/output/report_folder.hpp"
#include "exporters/ranks/report_ranks.hpp"

namespace prof::cli {

ComparedSide open_side(std::string& name, bool quiet) {
  ComparedSide side;
  if (is_job({name})) {
    name = name_of_job({name});
    const JobReports found = find_job_reports({name}, quiet);
    side.has_left_out = found.has_left_out;
    for (const ranks::PlannedReport& report : found.reports) {
      side.readers.push_back(open_report(report.path, quiet));
      side.filters.push_back(ranks::filter_of(report.ranks));
    }
  } else {
    name = find_report_file(name);
    side.readers.push_back(open_report(name, quiet));
    side.filters.emplace_back();
  }
  side.name = name;
  return side;
}

std::vector<diff::Part> parts_of(const ComparedSide& side) {
  std::vector<diff::Part> parts;
  for (std::size_t i = 0; i < side.readers.size(); ++i)
    parts.push_back({&side.readers[i], side.filters[i]});
  return parts;
}

void close_side(const ComparedSide& side) {
  for (const report::ReportReader& reader : side.readers) close_report(reader);
}

}  // namespace prof::cli
