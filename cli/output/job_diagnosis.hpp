// Diagnoses the reports of a job together.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/output/options/table_options.hpp"
#include "exporters/analysis/analyze/findings/finding.hpp"
#include "exporters/analysis/events/graph_nodes.hpp"

namespace prof::cli {

// Returns the diagnosis of the ranks of a job, or nothing if the reports have no collective
// operation in common. `reports` are paths, as find_reports() returns them, `align` is the text of
// --align. Names on stderr what is left out.
std::optional<analyze::Diagnosis> diagnose_job(const std::vector<std::string>& reports,
                                               const TableSettings& settings,
                                               events::RangeOf range_of, const std::string& align);

}  // namespace prof::cli
