// Capture ranges of a recording: each becomes a separate report.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "collector/spool/spool.hpp"
#include "common/base/result.hpp"

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
  bool is_empty = false;  // no range was entered: the only window is the end of the recording
};
// All of a damaged recording is in the report if no mark of a range can be read.
base::Result<ReportWindows> report_windows(const spool::Spool& spool);

// When the recording began, or its range: ns since the epoch, which identifies a report. 0:
// unknown. By the last reading of the clocks before: the time of day is adjusted meanwhile, and a
// flight recorder runs for weeks.
std::int64_t start_realtime(const spool::Spool& spool, const std::optional<Window>& window);

}  // namespace prof::ingest
