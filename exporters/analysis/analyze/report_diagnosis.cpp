#include "exporters/analysis/analyze/report_diagnosis.hpp"

#include "exporters/analysis/analyze/evidence/evidence.hpp"
#include "exporters/analysis/analyze/findings/captures.hpp"
#include "exporters/analysis/analyze/findings/gains/finding_gains.hpp"
#include "exporters/analysis/analyze/program/cpu_gains.hpp"
#include "exporters/analysis/analyze/program/cpu_rules.hpp"
#include "exporters/analysis/events/rows.hpp"

namespace prof::analyze {

namespace {

base::Result<Diagnosis> diagnose_work(const report::ReportReader& reader,
                                      const DiagnosisOptions& options, const FindLines& find_lines,
                                      const SeeWhole& see_whole) {
  const auto facts = read_facts(reader, options.events, see_whole);
  if (!facts) return tl::make_unexpected(facts.error());
  Diagnosis of_gpus = diagnose(*facts);
  if (const base::Status added = add_captures(reader, *facts, options.range_of, of_gpus.findings);
      !added)
    return tl::make_unexpected(added.error());
  if (of_gpus.subject == Subject::kGpus) {
    if (options.with_gains) add_gains(reader, *facts, options.events, of_gpus);
    return of_gpus;
  }
  const auto lines = reader.has_table(events::kCodePlaceTable) ? find_lines() : nullptr;
  auto cpus = read_cpu_facts(reader, lines.get());
  if (!cpus) return tl::make_unexpected(cpus.error());
  if (cpus->time > 0) {
    Diagnosis of_cpus = diagnose_cpus(*cpus);
    if (options.with_gains) add_cpu_gains(reader, *cpus, options.events, of_cpus);
    return of_cpus;
  }
  if (cpus->has_states) of_gpus.verdict = {"idle", "no thread ran while it was recorded"};
  of_gpus.not_recorded = not_recorded(*cpus);
  return of_gpus;
}

}  // namespace

base::Result<Diagnosis> diagnose_report(const report::ReportReader& reader,
                                        const DiagnosisOptions& options,
                                        const FindLines& find_lines, const SeeWhole& see_whole) {
  auto open = events::open_ranges(reader);
  if (!open) return tl::make_unexpected(open.error());
  auto diagnosis = diagnose_work(reader, options, find_lines, see_whole);
  if (!diagnosis) return diagnosis;
  diagnosis->open_ranges = *std::move(open);
  if (options.with_evidence)
    if (const base::Status added = add_evidence(reader, *diagnosis); !added)
      return tl::make_unexpected(added.error());
  if (!reader.has_table("META_DATA_CAPTURE")) return diagnosis;
  const base::Status read = events::for_each_row(
      reader,
      "SELECT value FROM main.META_DATA_CAPTURE WHERE name LIKE 'FLIGHT\\_RECORDER:CAUSE\\_%' "
      "ESCAPE '\\' ORDER BY rowid LIMIT 5",
      [&](const report::Statement& row) { diagnosis->causes.emplace_back(row.text(0)); });
  if (!read) return tl::make_unexpected(read.error());
  return diagnosis;
}

std::vector<const char*> finding_names() {
  std::vector<const char*> names;
  for (const NamedRule& each : finding_rules()) names.push_back(each.name);
  for (const NamedCpuRule& each : cpu_rules()) names.push_back(each.name);
  names.push_back(kLateRank);
  return names;
}

}  // namespace prof::analyze
