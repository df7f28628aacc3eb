// Prints a diagnosis.
#pragma once

#include <cstddef>
#include <string>

#include "exporters/analysis/analyze/findings/finding.hpp"
#include "exporters/analysis/tables/table_format.hpp"

namespace prof::analyze {

inline constexpr const char* kFindings = "findings";  // name of the diagnosis among the rules

// Returns the diagnosis: sentences in Markdown and in the formats for the terminal, an object in
// JSON. In the other formats it is a table with one row for the verdict and one for each finding.
// Sentences are broken into lines of at most `width` characters; 0: lines are not broken. JSON has
// at most `bytes` bytes, if that is possible by leaving out the findings with the least time at
// stake; 0: it has all findings.
std::string diagnosis_text(const Diagnosis& diagnosis, tables::TableFormat format,
                           std::size_t width = 0, std::size_t bytes = 0);

// Returns "16.0 % (12 ms): The GPU is idle …. Where: …. Remedy: …." on one line.
std::string finding_text(const Finding& finding, const Diagnosis& diagnosis);

// Returns "2 NVTX ranges never ended: step, copy", or an empty text if all ranges ended.
std::string open_ranges_text(const Diagnosis& diagnosis);

// Returns a table with one row for the verdict, with rank 0, and one row for each finding.
tables::Table diagnosis_table(const Diagnosis& diagnosis);

}  // namespace prof::analyze
