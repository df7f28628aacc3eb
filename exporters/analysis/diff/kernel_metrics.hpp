// Compares the metrics of profiled kernels, and the rules that apply to them.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "common/base/result.hpp"
#include "exporters/analysis/diff/comparison.hpp"
#include "exporters/analysis/tables/table.hpp"

namespace prof::diff {

// True if reports of both sides have profiles.
bool have_profiles(std::span<const Part> before, std::span<const Part> after);

struct MetricChanges {
  tables::Table table;
  // Metrics that differ by enough to matter, but whose launches vary too much to say that they
  // changed.
  std::size_t unclear = 0;
};

// Returns the metrics that differ between kernels with the same name, grid and block by more than
// launches of the same work do, largest ratio first. Rules that apply on one side only, to kernels
// with such a metric, come before them.
base::Result<MetricChanges> metric_changes(std::span<const Part> before,
                                           std::span<const Part> after);

// Says how many metrics changed, and how many may have.
std::string metric_changes_note(const MetricChanges& changes);

}  // namespace prof::diff
