// Whether the reports of both sides can be compared.
#pragma once

#include <string>
#include <vector>

#include "cli/output/compared_reports.hpp"
#include "exporters/analysis/recording/differences.hpp"

namespace prof::cli {

// The exit status for reports that cannot be compared.
inline constexpr int kNotComparable = 4;

std::vector<recording::Recording> recordings_of(const ComparedSide& side);

// Opens the reports. Throws Failure if one cannot be read.
std::vector<recording::Recording> read_recordings(const std::vector<std::string>& reports);

// Throws Failure with the status kNotComparable if the GPUs differ.
void require_comparable(const std::vector<recording::Difference>& differences);

}  // namespace prof::cli
