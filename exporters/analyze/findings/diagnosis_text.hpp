// A diagnosis as it is printed.
#pragma once

#include <string>

#include "exporters/analyze/findings/finding.hpp"
#include "exporters/stats/tables/table_format.hpp"

namespace prof::analyze {

inline constexpr const char* kFindings = "findings";  // its name among the rules

// Sentences in the formats for the eye and in markdown, an object in JSON, else a table with a row
// for the verdict and one for each finding.
std::string diagnosis_text(const Diagnosis& diagnosis, stats::TableFormat format);

}  // namespace prof::analyze
