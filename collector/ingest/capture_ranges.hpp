// Capture ranges of a recording: each becomes a separate report.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "collector/spool/spool.hpp"
#include "common/base/result.hpp"

namespace prof::ingest {

// A capture range, in ns on the session's timeline.
struct Window {
  std::int64_t begin;
  std::int64_t end;
};

// The parts of a recording that become reports.
struct ReportWindows {
  std::vector<std::optional<Window>> windows;  // one per capture range; nullopt: everything
  bool numbered = false;                       // the names of the reports get numbers
  // The program entered no range: the only window is the end of the recording.
  bool is_empty = false;
};
// Returns the windows. If no mark of a range can be read in a damaged recording, its report has all
// of it.
base::Result<ReportWindows> report_windows(const spool::Spool& spool);

// Returns when the recording or its range began: ns since the epoch, which identifies a report; 0:
// unknown. Uses the last reading of the clocks before that moment, because the time of day is
// adjusted while a flight recorder runs for weeks.
std::int64_t start_realtime(const spool::Spool& spool, const std::optional<Window>& window);

}  // namespace prof::ingest
