// Makes the report out of a spool: sorts the drained runs into threads, resolves strings, pairs
// ranges, converts times, and writes the rows. The same code serves the end of a session and
// `prof recover`.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "collector/base/result.hpp"
#include "collector/report/report_writer.hpp"
#include "collector/spool/spool.hpp"

namespace prof::ingest {

struct BuildSummary {
  std::uint64_t events = 0;           // rows of NVTX_EVENTS and OSRT_API
  std::uint64_t processes = 0;        // process images
  std::uint64_t dropped = 0;          // events lost because there was no room
  std::uint64_t corrupt_bytes = 0;    // record bytes that made no sense
  bool complete = false;              // the session was closed in order
  std::vector<std::string> untraced;  // programs that could not be traced, and why
};

// A capture range, ns on the session's timeline.
struct Window {
  std::int64_t begin;
  std::int64_t end;
};

// What of a recording becomes a report.
struct ReportWindows {
  std::vector<std::optional<Window>> windows;  // one: of all; or one for each capture range
  bool numbered = false;                       // their reports get numbers
};
base::Result<ReportWindows> report_windows(const spool::Spool& spool);

// Called now and then with the fraction done, 0 to 1.
using Progress = std::function<void(double)>;

// Adds every row to `writer`; the caller finishes it. With `window` those of that range, whose
// begin becomes time 0. The spool must outlive the writer's flush.
base::Result<BuildSummary> build_report(const spool::Spool& spool, report::ReportWriter& writer,
                                        const std::string& output, const Progress& progress,
                                        const std::optional<Window>& window = {});

}  // namespace prof::ingest
