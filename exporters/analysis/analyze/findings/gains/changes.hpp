// The changes that mend findings, as the replay of a report knows them.
#pragma once

#include <string>

#include "exporters/analysis/analyze/findings/finding.hpp"

namespace prof::analyze {

// Returns the change that takes away what the remedy of a finding usually saves, as
// prof stats -r what_if takes it. Empty: a replay of the report cannot express it.
std::string change_of(const Finding& finding, const Facts& facts);

}  // namespace prof::analyze
