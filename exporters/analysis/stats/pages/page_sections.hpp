// The sections of Nsight Compute's page "details": which metrics they have under which labels.
#pragma once

#include <span>

#include "exporters/analysis/insight/occupancy/kernel_rule.hpp"

namespace prof::stats {

struct PageMetric {
  const char* label;
  const char* metric;
};

struct PageSection {
  const char* title;       // of rows with metrics
  const char* identifier;  // of rows with rules
  std::span<const PageMetric> metrics;
};

std::span<const PageSection> page_sections();

// Where Nsight Compute shows a rule, and how it names it. Rules that only prof has are in the
// section of their subject.
struct PageRule {
  const char* section;  // PageSection::identifier
  const char* name;
};
PageRule page_rule(insight::KernelRule rule);

}  // namespace prof::stats
