#include "cli/output/findings/fact_sheet.hpp"

#include <cstdint>
#include <map>
#include <utility>

#include "cli/messages/failure.hpp"
#include "cli/output/compared_reports.hpp"
#include "cli/output/findings/job_diagnosis.hpp"
#include "cli/output/report_access.hpp"
#include "cli/output/report_folder.hpp"
#include "cli/output/source_lines.hpp"
#include "exporters/analysis/analyze/report_diagnosis.hpp"
#include "exporters/analysis/diff/categories.hpp"
#include "exporters/analysis/facts/selection.hpp"
#include "exporters/ranks/job_plan.hpp"
#include "exporters/ranks/run_statistics.hpp"

namespace prof::cli {

namespace {

facts::FactSheet read_report(const std::string& name, const TableSettings& settings,
                             SourceLines lines, const std::vector<facts::Topic>& topics) {
  const auto reader = open_report(find_report_file(name), true);
  const events::EventFilter events = settings.prepare(reader);
  analyze::DiagnosisOptions options{events};
  options.with_evidence = true;
  facts::FactSheet sheet;
  sheet.diagnosis = take(analyze::diagnose_report(reader, options, [&] {
    return lines == SourceLines::kFind ? find_source_lines(reader, true) : nullptr;
  }));
  sheet.subject.id = take(facts::report_id(reader));
  // Others than the user of this machine ask without source lines, and do not see its files.
  if (lines == SourceLines::kFind) sheet.subject.path = name;
  sheet.cannot =
      take(facts::missing_topics(reader, sheet.diagnosis.subject == analyze::Subject::kGpus));
  if (!topics.empty()) check(facts::select_topics(reader, topics, sheet));
  close_report(reader);
  return sheet;
}

// Returns the hosts of the ranks, as far as the reports have them.
std::map<std::int64_t, std::string> nodes_of(const std::vector<std::string>& paths) {
  std::vector<std::string> left_out;  // the diagnosis has named them
  std::map<std::int64_t, std::string> nodes;
  for (const ranks::PlannedReport& report :
       ranks::plan_job(ranks::find_ranks(paths, left_out)).reports)
    for (const ranks::ReportRank& each : report.ranks)
      if (each.unit.rank && !each.unit.node.empty()) nodes.emplace(*each.unit.rank, each.unit.node);
  return nodes;
}

facts::FactSheet read_job(const std::vector<std::string>& names, const TableSettings& settings,
                          const std::vector<facts::Topic>& topics) {
  const FoundReports found = find_reports(names);
  if (found.paths.size() == 1)
    return read_report(found.paths.front(), settings, SourceLines::kFind, topics);
  if (!topics.empty()) throw Failure("--topic is about one report: give that of a rank", kBadUsage);
  auto diagnosis = diagnose_job(found.paths, settings, {.with_evidence = true});
  if (!diagnosis)
    throw Failure("the reports have no collective operation in common: give one of them");
  facts::FactSheet sheet;
  sheet.diagnosis = *std::move(diagnosis);
  sheet.subject.reports = found.paths.size();
  sheet.nodes = nodes_of(found.paths);
  // One rank is recorded as the others are.
  const auto reader = open_report(found.paths.front(), true);
  sheet.subject.id = take(facts::report_id(reader));
  sheet.cannot = take(facts::missing_topics(reader, true));
  close_report(reader);
  return sheet;
}

}  // namespace

facts::FactSheet read_fact_sheet(const std::vector<std::string>& names, SourceLines lines,
                                 const std::vector<facts::Topic>& topics) {
  TableOptions options;
  options.quiet = true;
  const TableSettings settings(options);
  return is_job(names) ? read_job(names, settings, topics)
                       : read_report(names.front(), settings, lines, topics);
}

facts::ChangeSheet read_change_sheet(std::string before, std::string after) {
  diff::Options options;
  options.categories = diff::usual_categories();
  const ComparedSide first = open_side(before, true);
  const ComparedSide second = open_side(after, true);
  facts::ChangeSheet sheet;
  for (const auto& [side, subject] : {std::pair(&first, &sheet.before), {&second, &sheet.after}})
    *subject = {take(facts::report_id(side->readers.front())), side->readers.size()};
  sheet.comparison = take(diff::compare(parts_of(first), parts_of(second), options));
  if (first.readers.size() == 1 && second.readers.size() == 1)
    facts::add_queries(first.readers.front(), second.readers.front(), sheet);
  close_side(first);
  close_side(second);
  return sheet;
}

}  // namespace prof::cli
