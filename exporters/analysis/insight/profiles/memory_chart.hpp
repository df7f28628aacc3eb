// The memory chart of a kernel: what goes over each link between its levels of memory.
#pragma once

#include <optional>
#include <vector>

#include "exporters/analysis/insight/profiles/metric_values.hpp"

namespace prof::insight {

struct MemoryLink {
  const char* link;  // "kernel <- L1", "L2 -> DRAM", …
  const char* what;  // "global loads", …
  std::optional<double> requests = {};
  std::optional<double> bytes = {};
  std::optional<double> peak_percent = {};  // of the link
  // Percent of the sectors that the level has: the level to which the link leads.
  std::optional<double> hit_percent = {};
};

// Returns the links that were measured and used.
std::vector<MemoryLink> memory_chart_of(const MetricValues& metrics);

}  // namespace prof::insight
