// Diagnoses a report: its GPU work or, if it has none, what its program does on CPUs.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/analyze/findings/finding.hpp"
#include "exporters/analysis/events/call_chains/code_lines.hpp"
#include "exporters/analysis/events/event_filter.hpp"
#include "exporters/analysis/events/graph_nodes.hpp"

namespace prof::analyze {

// Looks up the source lines of native code. Returns null if there are none. The function is slow,
// so it is called only if the findings show lines.
using FindLines = std::function<std::shared_ptr<const events::CodeLines>()>;

struct DiagnosisOptions {
  events::EventFilter events = {};  // the filter that the user asked for, which the views apply
  events::RangeOf range_of = events::RangeOf::kBoth;
  // Replays the report for the gains of findings. A rank alone says nothing about those of its job.
  bool with_gains = true;
  bool with_evidence = false;  // rows and SQL of the findings
};

// Diagnoses the events in the views.
base::Result<Diagnosis> diagnose_report(const report::ReportReader& reader,
                                        const DiagnosisOptions& options,
                                        const FindLines& find_lines,
                                        const SeeWhole& see_whole = {});

// The finding about a job of several ranks.
inline constexpr const char* kLateRank = "late_rank";

// Returns the names of all findings: those about GPUs, about CPUs, and about jobs.
std::vector<const char*> finding_names();

}  // namespace prof::analyze
