#include "cli/output/findings/fact_sheet.hpp"

#include "cli/messages/failure.hpp"
#include "cli/output/findings/job_diagnosis.hpp"
#include "cli/output/report_access.hpp"
#include "cli/output/report_folder.hpp"
#include "cli/output/source_lines.hpp"
#include "exporters/analysis/analyze/report_diagnosis.hpp"

namespace prof::cli {

namespace {

facts::FactSheet read_report(const std::string& name, const TableSettings& settings,
                             SourceLines lines) {
  const auto reader = open_report(find_report_file(name), true);
  const events::EventFilter events = settings.prepare(reader);
  analyze::DiagnosisOptions options{events};
  options.with_evidence = true;
  facts::FactSheet sheet;
  sheet.diagnosis = take(analyze::diagnose_report(reader, options, [&] {
    return lines == SourceLines::kFind ? find_source_lines(reader, true) : nullptr;
  }));
  sheet.subject.id = take(facts::report_id(reader));
  sheet.cannot =
      take(facts::missing_topics(reader, sheet.diagnosis.subject == analyze::Subject::kGpus));
  close_report(reader);
  return sheet;
}

facts::FactSheet read_job(const std::vector<std::string>& names, const TableSettings& settings) {
  const FoundReports found = find_reports(names);
  if (found.paths.size() == 1)
    return read_report(found.paths.front(), settings, SourceLines::kFind);
  auto diagnosis = diagnose_job(found.paths, settings, {.with_evidence = true});
  if (!diagnosis)
    throw Failure("the reports have no collective operation in common: give one of them");
  facts::FactSheet sheet;
  sheet.diagnosis = *std::move(diagnosis);
  sheet.subject.reports = found.paths.size();
  // One rank is recorded as the others are.
  const auto reader = open_report(found.paths.front(), true);
  sheet.subject.id = take(facts::report_id(reader));
  sheet.cannot = take(facts::missing_topics(reader, true));
  close_report(reader);
  return sheet;
}

}  // namespace

facts::FactSheet read_fact_sheet(const std::vector<std::string>& names, SourceLines lines) {
  TableOptions options;
  options.quiet = true;
  const TableSettings settings(options);
  return is_job(names) ? read_job(names, settings) : read_report(names.front(), settings, lines);
}

}  // namespace prof::cli
