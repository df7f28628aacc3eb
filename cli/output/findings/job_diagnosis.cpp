#include "cli/output/findings/job_diagnosis.hpp"

#include <fmt/format.h>

#include <utility>

#include "cli/messages/failure.hpp"
#include "cli/messages/message.hpp"
#include "cli/output/options/job_window.hpp"
#include "cli/output/report_access.hpp"
#include "cli/output/report_folder.hpp"
#include "cli/output/source_lines.hpp"
#include "common/base/text/marked_name.hpp"
#include "exporters/analysis/analyze/evidence/evidence.hpp"
#include "exporters/analysis/analyze/report_diagnosis.hpp"
#include "exporters/ranks/read_parts.hpp"
#include "exporters/ranks/verdict/job_verdict.hpp"

namespace prof::cli {

namespace {

analyze::Diagnosis diagnose_rank(const ranks::JobCollectives& job, std::size_t rank,
                                 const JobWindow& window, bool quiet,
                                 const JobDiagnosisOptions& options) {
  const auto reader = open_report(job.paths[job.ranks[rank].report], quiet);
  const events::EventFilter events = window.prepare(reader);
  auto diagnosis = take(
      analyze::diagnose_report(reader, {events, options.range_of, false, options.with_evidence},
                               [&] { return find_source_lines(reader, true); }));
  close_report(reader);
  return diagnosis;
}

// Adds the evidence of the findings about late ranks, each in its rank's report.
void add_late_evidence(const ranks::JobCollectives& job, ranks::JobVerdict& verdict, bool quiet) {
  for (std::size_t i = 0; i < verdict.late.size(); ++i) {
    const auto reader = open_report(job.paths[job.ranks[verdict.late[i]].report], quiet);
    analyze::Diagnosis one;
    one.findings.push_back(verdict.diagnosis.findings[i]);
    check(analyze::add_evidence(reader, one));
    verdict.diagnosis.findings[i] = std::move(one.findings.front());
    close_report(reader);
  }
}

}  // namespace

std::optional<analyze::Diagnosis> diagnose_job(const std::vector<std::string>& reports,
                                               const TableSettings& settings,
                                               const JobDiagnosisOptions& choices) {
  const JobReports found = find_job_reports(reports, settings.quiet());
  const JobWindow window(found.reports, settings, choices.align);
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
  if (choices.with_evidence) add_late_evidence(job, *verdict, settings.quiet());
  if (verdict->typical)
    ranks::add_typical(
        job, diagnose_rank(job, *verdict->typical, window, settings.quiet(), choices), *verdict);
  for (const std::string& line : left_out)
    verdict->diagnosis.job.push_back("left out: " + base::mark_name("report", line));
  for (std::string remark : found.remarks) {
    if (remark.ends_with('.')) remark.pop_back();
    verdict->diagnosis.job.push_back(base::mark_name("remark", remark));
  }
  return verdict->diagnosis;
}

}  // namespace prof::cli
