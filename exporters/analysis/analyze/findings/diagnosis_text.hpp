// Prints a diagnosis.
#pragma once

#include <cstddef>
#include <string>

#include "exporters/analysis/analyze/findings/finding.hpp"
#include "exporters/analysis/tables/table_format.hpp"

namespace prof::analyze {

inline constexpr const char* kFindings = "findings";  // name of the diagnosis among the rules

// Sentences in the formats for the terminal and in Markdown. An object in JSON. A table in the
// other formats, with one row for the verdict and one for each finding. Sentences are broken into
// lines of at most `width` characters; 0: they are not.
std::string diagnosis_text(const Diagnosis& diagnosis, tables::TableFormat format,
                           std::size_t width = 0);

// "2 NVTX ranges never ended: step, copy"; empty if all ended.
std::string open_ranges_text(const Diagnosis& diagnosis);

// The table: one row for the verdict, with rank 0, and one for each finding.
tables::Table diagnosis_table(const Diagnosis& diagnosis);

}  // namespace prof::analyze
