// Prints a diagnosis.
#pragma once

#include <cstddef>
#include <string>

#include "exporters/analyze/findings/finding.hpp"
#include "exporters/tables/table_format.hpp"

namespace prof::analyze {

inline constexpr const char* kFindings = "findings";  // name of the diagnosis among the rules

// Sentences in the formats for the terminal and in Markdown. An object in JSON. A table in the
// other formats, with one row for the verdict and one for each finding. Sentences are broken into
// lines of at most `width` characters; 0: they are not.
std::string diagnosis_text(const Diagnosis& diagnosis, tables::TableFormat format,
                           std::size_t width = 0);

}  // namespace prof::analyze
