#include "exporters/ranks/read_parts.hpp"

#include <exception>
#include <optional>
#include <utility>

#include "common/base/result.hpp"
#include "common/report/event_filter.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/events/event_filter.hpp"
#include "exporters/analysis/events/report_views.hpp"
#include "exporters/ranks/parallel.hpp"

namespace prof::ranks {

namespace {

base::Result<ReportPart> read_report(const PlannedReport& report, const PartOptions& options) {
  const auto reader = report::ReportReader::open(report.path);
  if (!reader) return tl::make_unexpected(reader.error());
  report::EventFilter filter;
  if (options.filter_of) {
    auto found = options.filter_of(*reader);
    if (!found) return tl::make_unexpected(found.error());
    filter = *std::move(found);
  }
  const auto events = events::both(filter, filter_of(report.ranks));
  if (const base::Status made = events::make_views(*reader, events); !made)
    return tl::make_unexpected(made.error());
  auto part = read_part(*reader, report.ranks, options.details);
  if (!part) return part;
  if (const base::Status finished = reader->finish(); !finished)
    return tl::make_unexpected(finished.error());
  return part;
}

}  // namespace

std::vector<ReportPart> read_parts(const std::vector<PlannedReport>& reports,
                                   const PartOptions& options, std::vector<std::string>& left_out) {
  std::vector<std::optional<ReportPart>> parts(reports.size());
  std::vector<std::string> failures(reports.size());
  for_each_number(reports.size(), options.threads, [&](std::size_t i) {
    try {
      auto part = read_report(reports[i], options);
      if (part)
        parts[i] = *std::move(part);
      else
        failures[i] = part.error().message;
    } catch (const std::exception& exception) {
      failures[i] = reports[i].path + ": " + exception.what();
    }
  });
  std::vector<ReportPart> result;
  for (std::size_t i = 0; i < reports.size(); ++i)
    if (parts[i])
      result.push_back(*std::move(parts[i]));
    else
      left_out.push_back(failures[i]);
  return result;
}

}  // namespace prof::ranks
