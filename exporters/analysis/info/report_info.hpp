// Reads what a report says about itself: what ran, where, with which options, what was recorded and
// lost.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/events/clocks/machine_clock.hpp"
#include "exporters/analysis/info/job_facts.hpp"

namespace prof::info {

using Pairs = std::vector<std::pair<std::string, std::string>>;  // name, value

// The number of events of one kind.
struct Content {
  std::string name;  // "OS-runtime calls"
  std::int64_t rows;
  std::string statistics;  // names of the statistics that show the events, separated by ", "
};

struct Diagnostic {
  std::int64_t time;      // ns
  std::int64_t severity;  // ENUM_DIAGNOSTIC_SEVERITY_LEVEL
  std::string text;
};

// Output of a process in a file that the report keeps.
struct KeptFile {
  std::int64_t id;  // ANALYSIS_FILE.id
  std::int64_t pid;
  std::string name;
  std::int64_t bytes;
};

struct ReportInfo {
  std::string path;
  std::string product;  // "prof 0.1.0"
  std::string schema;
  std::string command;
  std::string directory;
  std::optional<std::string> exit_status;
  std::string start;                     // local time
  std::optional<std::int64_t> duration;  // ns
  std::vector<std::string> causes;       // why a flight recorder wrote the report
  std::vector<Rank> ranks;
  std::optional<WallClock> wall_clock;
  std::optional<events::MachineClock> machine_clock;
  Pairs machine;  // "Host", "CPU", …
  std::vector<std::string> gpus;
  Pairs options;  // META_DATA_CAPTURE, without the values in the fields above
  std::vector<std::pair<std::string, std::int64_t>> tables;  // name and number of rows
  std::vector<Content> contents;
  std::vector<Diagnostic> diagnostics;  // errors first, then warnings; each in the order of time
  std::vector<KeptFile> files;
};

base::Result<ReportInfo> read_info(const report::ReportReader& reader);

// Returns the content of a kept file.
base::Result<std::string> content_of(const report::ReportReader& reader, const KeptFile& file);

// Values of Diagnostic::severity.
inline constexpr std::int64_t kInformation = 1;
inline constexpr std::int64_t kWarning = 2;
inline constexpr std::int64_t kError = 3;

// True if the diagnostic says that events are missing from the report.
bool is_loss(const Diagnostic& diagnostic);

// These functions return the facts to print first, without unknown ones.
Pairs run_facts(const ReportInfo& info);      // "Command", "Duration", …
Pairs machine_facts(const ReportInfo& info);  // "Host", "GPU", …; a name may occur several times
Pairs chosen_options(
    const ReportInfo& info);  // without options that are off or equal in all reports

// Returns commands of prof that suit the report.
std::vector<std::string> next_commands(const ReportInfo& info);

std::string info_text(const ReportInfo& info);
// `clock`: a JSON object about the clock, among those of other reports. Empty: none.
std::string info_json(const ReportInfo& info, const std::string& clock = "");

}  // namespace prof::info
