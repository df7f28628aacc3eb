#include "cli/output/job_diagnosis.hpp"

#include <fmt/format.h>

#include <utility>

#include "cli/messages/failure.hpp"
#include "cli/messages/message.hpp"
#include "cli/output/options/job_window.hpp"
#include "cli/output/report_access.hpp"
#include "cli/output/report_folder.hpp"
#include "cli/output/source_lines.hpp"
#include "exporters/analysis/analyze/report_diagnosis.hpp"
#include "exporters/ranks/read_parts.hpp"
#include "exporters/ranks/verdict/job_verdict.hpp"

namespace prof::cli {

namespace {

analyze::Diagnosis diagnose_rank(const ranks::JobCollectives& job, std::size_t rank,
                                 const JobWindow& window, bool quiet, events::RangeOf range_of) {
  const auto reader = open_report(job.paths[job.ranks[rank].report], quiet);
  const events::EventFilter events = window.prepare(reader);
  auto diagnosis = take(analyze::diagnose_report(reader, {events, range_of, false},
                                                 [&] { return find_source_lines(reader, true); }));
  close_report(reader);
  return diagnosis;
}

}  // namespace

std::optional<analyze::Diagnosis> diagnose_job(const std::vector<std::string>& reports,
                                               const TableSettings& settings,
                                               events::RangeOf range_of, const std::string& align) {
  const JobReports found = find_job_reports(reports, settings.quiet());
  const JobWindow window(found.reports, settings, align);
  ranks::PartOptions options;
  options.details = ranks::PartDetails::kOwnTimes;
  options.filter_of = [&](const report::ReportReader& reader) { return window.prepare(reader); };
  std::vector<std::string> left_out;
  std::vector<ranks::ReportPart> parts = ranks::read_parts(found.reports, options, left_out);
  if (parts.empty()) return std::nullopt;
  const ranks::JobCollectives job = ranks::match_job(std::move(parts), window.clock());
  auto verdict = take(ranks::job_verdict(
      job, [](const report::ReportReader& each) { return find_source_lines(each, true); }));
  if (!verdict) return std::nullopt;
  ranks::add_gains(found.reports, job, options.filter_of, *verdict);
  if (verdict->typical)
    ranks::add_typical(
        job, diagnose_rank(job, *verdict->typical, window, settings.quiet(), range_of), *verdict);
  for (std::string& line : left_out) verdict->diagnosis.job.push_back("left out: " + line);
  for (std::string remark : found.remarks) {
    if (remark.ends_with('.')) remark.pop_back();
    verdict->diagnosis.job.push_back(std::move(remark));
  }
  return verdict->diagnosis;
}

}  // namespace prof::cli
