// Makes the report of a spool. The same code serves the end of a session and `prof recover`.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "collector/ingest/capture_ranges.hpp"
#include "collector/spool/spool.hpp"
#include "common/base/result.hpp"
#include "common/report/report_writer.hpp"

namespace prof::ingest {

struct BuildSummary {
  std::uint64_t events = 0;           // events in the report
  std::uint64_t processes = 0;        // process images
  std::uint64_t dropped = 0;          // dropped events
  std::uint64_t corrupt_bytes = 0;    // bytes of records that were skipped
  bool complete = false;              // the session ended normally
  std::vector<std::string> untraced;  // programs that could not be traced, with the reason
};

// Called from time to time; the argument is the fraction done, 0 to 1.
using Progress = std::function<void(double)>;

// Adds all rows to `writer`; the caller finishes it. With `window`, adds the rows of that range,
// whose begin becomes time 0. The spool must outlive the writer's flush.
base::Result<BuildSummary> build_report(const spool::Spool& spool, report::ReportWriter& writer,
                                        const std::string& output, const Progress& progress,
                                        const std::optional<Window>& window = {});

}  // namespace prof::ingest
