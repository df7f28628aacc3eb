// Makes reports from a recording.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "collector/ingest/capture_ranges.hpp"
#include "collector/session/signals.hpp"
#include "collector/spool/spool.hpp"
#include "common/base/unique_fd.hpp"
#include "common/report/report_writer.hpp"

namespace prof::cli {

inline constexpr char kNeverEntered[] =
    "the program never entered the capture range, so the report has no events";

// What the prof that has made a recording has at hand, so that it is not made or read again.
struct AtHand {
  std::unique_ptr<report::ReportWriter> writer;  // for one report of a short recording, or null
  std::optional<spool::SessionNote> session;     // that is in the recording
  std::string why_empty = kNeverEntered;         // said of a recording without a capture range
};

// Makes `output` from the recording, or a report from each of its capture ranges, and deletes the
// recording. `file`: the recording. `spool_path`: its name, unless somebody has deleted it. Returns
// the paths of the reports. If the program never entered the capture range, there is one without
// events, so that scripts find it. A report that a killed prof has finished is kept. If a report
// cannot be written, the recording stays, or gets a new name, and the Failure says how to make the
// report later. `signals`: blocked until now.
std::vector<std::string> write_reports(const base::UniqueFd& file, const std::string& spool_path,
                                       const std::string& output, bool overwrite,
                                       std::unique_ptr<session::Signals> signals = nullptr,
                                       AtHand at_hand = {});

// The same for a recording that a killed prof has left: also one of a flight recorder, whose events
// are elsewhere.
std::vector<std::string> write_recovered(const base::UniqueFd& file, const std::string& spool_path,
                                         const std::string& output, bool overwrite);

// Is the file the report of this recording, or of this range of it?
bool is_report_of(const spool::Spool& spool, const std::optional<ingest::Window>& window,
                  const std::string& path);

// The names of the reports of a recording: `output`, or with numbers (report.1.db).
std::vector<std::string> report_names(const ingest::ReportWindows& parts,
                                      const std::string& output);

// Says what to do with the first of the reports, if stderr is a terminal.
void print_next_command(const std::vector<std::string>& reports);

}  // namespace prof::cli
