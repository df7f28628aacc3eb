// Aligns several reports on one clock.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "exporters/viewer/timeline/loading/facts.hpp"
#include "exporters/viewer/timeline/timeline.hpp"

namespace prof::timeline {

struct AlignedClocks {
  std::vector<std::int64_t> offsets;      // ns, of each report
  std::optional<std::int64_t> utc_start;  // wall clock at the common clock's 0
  std::string message = {};  // tells the user why the reports could not be aligned as requested
};

base::Result<AlignedClocks> align(const std::vector<OpenReport>& reports,
                                  const std::vector<const Facts*>& facts, const Options& options);

}  // namespace prof::timeline
