// --fail-if: conditions on what changed between runs of a program.
#pragma once

#include <string>
#include <vector>

#include "cli/output/ci/checks.hpp"
#include "exporters/analysis/claims/gate.hpp"
#include "exporters/analysis/recording/recording.hpp"

namespace prof::cli {

// Throws Failure if a text is not a condition.
std::vector<claims::Gate> parse_gates(const std::vector<std::string>& texts);

// Measures each gate in the reports of both sides. A gate that cannot be measured fails. Throws
// Failure if a report cannot be read.
std::vector<Check> check_gates(const std::vector<claims::Gate>& gates,
                               const std::vector<std::string>& base,
                               const std::vector<std::string>& now);

// Does the same with files of prof facts --save, or folders of these, in place of the base.
std::vector<Check> check_saved_gates(const std::vector<claims::Gate>& gates,
                                     const std::vector<std::string>& saved,
                                     const std::vector<std::string>& now);

// Returns what such files say about the recordings. Throws Failure.
std::vector<recording::Recording> saved_recordings(const std::vector<std::string>& saved);

// Returns the numbers of a report for such a file. Throws Failure.
std::string saved_numbers(const std::string& report);

}  // namespace prof::cli
