// Compares the metrics of profiled kernels, and the rules that apply to them.
#pragma once

#include <span>

#include "common/base/result.hpp"
#include "exporters/analysis/diff/comparison.hpp"
#include "exporters/analysis/tables/table.hpp"

namespace prof::diff {

// True if reports of both sides have profiles.
bool have_profiles(std::span<const Part> before, std::span<const Part> after);

// Returns the metrics that differ between kernels with the same name, grid and block by more than
// they differ between the launches of one side, largest ratio first. Rules that apply on one side
// only come before them.
base::Result<tables::Table> metric_changes(std::span<const Part> before,
                                           std::span<const Part> after);

}  // namespace prof::diff
