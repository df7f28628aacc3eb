// A diagnosis as it is printed.
#pragma once

#include <string>

#include "exporters/analyze/findings/finding.hpp"
#include "exporters/tables/table_format.hpp"

namespace prof::analyze {

inline constexpr const char* kFindings = "findings";  // its name among the rules

// Sentences in the formats for the eye and in markdown, an object in JSON, else a table with a row
// for the verdict and one for each finding.
std::string diagnosis_text(const Diagnosis& diagnosis, tables::TableFormat format);

}  // namespace prof::analyze
