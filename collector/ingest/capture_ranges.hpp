// Capture ranges of a recording: each becomes a separate report.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "collector/base/result.hpp"
#include "collector/spool/spool.hpp"

namespace prof::ingest {

// A capture range, ns on the session's timeline.
struct Window {
  std::int64_t begin;
  std::int64_t end;
};

// The parts of a recording that become reports.
struct ReportWindows {
  std::vector<std::optional<Window>> windows;  // one per capture range; nullopt: everything
  bool numbered = false;                       // the names of the reports get numbers
};
base::Result<ReportWindows> report_windows(const spool::Spool& spool);

}  // namespace prof::ingest
