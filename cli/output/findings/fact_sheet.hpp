// Reads the facts of a report, or of the reports of a job.
#pragma once

#include <string>
#include <vector>

#include "exporters/analysis/facts/changes.hpp"
#include "exporters/analysis/facts/facts.hpp"

namespace prof::cli {

// Source lines come from files of the machine that the report names.
enum class SourceLines { kFind, kNone };

// `names` are those of the command line. Throws Failure if there is no report, or if several
// reports are not of one job. Names on stderr what is left out. Without `topics` it has the verdict
// and the findings.
facts::FactSheet read_fact_sheet(const std::vector<std::string>& names,
                                 SourceLines lines = SourceLines::kFind,
                                 const std::vector<facts::Topic>& topics = {});

// Compares two reports, or two folders with the reports of a job.
facts::ChangeSheet read_change_sheet(std::string before, std::string after);

}  // namespace prof::cli
