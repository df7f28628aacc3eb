// Diagnoses the reports of a job together.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/output/options/table_options.hpp"
#include "exporters/analysis/analyze/findings/finding.hpp"
#include "exporters/analysis/events/graph_nodes.hpp"

namespace prof::cli {

struct JobDiagnosisOptions {
  events::RangeOf range_of = events::RangeOf::kBoth;
  std::string align = {};      // the text of --align
  bool with_evidence = false;  // rows and SQL of the findings
};

// Returns the diagnosis of the ranks of a job, or nothing if the reports have no collective
// operation in common. `reports` are paths, as find_reports() returns them. Names on stderr what is
// left out.
std::optional<analyze::Diagnosis> diagnose_job(const std::vector<std::string>& reports,
                                               const TableSettings& settings,
                                               const JobDiagnosisOptions& choices);

}  // namespace prof::cli
