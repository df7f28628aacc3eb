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

// What the prof that made a recording still has in memory, so that it need not be read again.
struct ReportInputs {
  std::unique_ptr<report::ReportWriter> writer;  // for one report of a short recording, or null
  std::optional<spool::SessionNote> session;     // the session's note in the recording
  bool is_announced = true;                      // the report's name is printed, with what it lacks
  std::string why_empty = kNeverEntered;         // reason for a recording without a capture range
};

// Makes `output` from the recording `file`, or a report from each of its capture ranges, and
// deletes the recording. `spool_path` is the name of the recording, even if somebody has deleted
// it. Returns the paths of the reports. If the program never entered the capture range, there is
// one report without events, so that scripts find a file. A report that a killed prof has finished
// is kept. If a report cannot be written, the recording stays, or gets a new name, and the Failure
// says how to make the report later. `signals` are blocked until this call.
std::vector<std::string> write_reports(const base::UniqueFd& file, const std::string& spool_path,
                                       const std::string& output, bool overwrite,
                                       std::unique_ptr<session::Signals> signals = nullptr,
                                       ReportInputs inputs = {});

// Like write_reports(), for a recording that a killed prof has left. It may be the recording of a
// flight recorder, whose events are in other files.
std::vector<std::string> write_recovered(const base::UniqueFd& file, const std::string& spool_path,
                                         const std::string& output, bool overwrite);

// True if the file is the report of this recording, or of its range `window`.
bool is_report_of(const spool::Spool& spool, const std::optional<ingest::Window>& window,
                  const std::string& path);

// Returns the names of the reports of a recording: `output`, or several names with numbers
// (report.1.db).
std::vector<std::string> report_names(const ingest::ReportWindows& parts,
                                      const std::string& output);

// Prints a command that reads the first report, if stderr is a terminal.
void print_next_command(const std::vector<std::string>& reports);

}  // namespace prof::cli
