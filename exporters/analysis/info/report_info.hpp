// What a report says about itself: what ran, where, with which options, what was recorded and lost.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"

namespace prof::info {

using Pairs = std::vector<std::pair<std::string, std::string>>;  // name, value

// Events of one kind.
struct Content {
  std::string name;  // "OS-runtime calls"
  std::int64_t rows;
  std::string statistics;  // that show them, separated by ", "
};

struct Diagnostic {
  std::int64_t time;      // ns
  std::int64_t severity;  // ENUM_DIAGNOSTIC_SEVERITY_LEVEL
  std::string text;
};

// What a process wrote to a file that the report keeps.
struct KeptFile {
  std::int64_t id;  // in ANALYSIS_FILE
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
  std::vector<std::string> causes;       // why a flight recorder wrote it
  Pairs machine;                         // "Host", "CPU", …
  std::vector<std::string> gpus;
  Pairs options;  // META_DATA_CAPTURE, without what is above
  std::vector<std::pair<std::string, std::int64_t>> tables;  // with their rows
  std::vector<Content> contents;
  std::vector<Diagnostic> diagnostics;  // errors first, then warnings; each in the order of time
  std::vector<KeptFile> files;
};

base::Result<ReportInfo> read_info(const report::ReportReader& reader);

// The content of a kept file.
base::Result<std::string> content_of(const report::ReportReader& reader, const KeptFile& file);

// Severities
inline constexpr std::int64_t kInformation = 1;
inline constexpr std::int64_t kWarning = 2;
inline constexpr std::int64_t kError = 3;

// Whether the diagnostic says that events are missing from the report.
bool is_loss(const Diagnostic& diagnostic);

// What to say of it first, without what is unknown.
Pairs run_facts(const ReportInfo& info);       // "Command", "Duration", …
Pairs machine_facts(const ReportInfo& info);   // "Host", "GPU", …; a name may occur several times
Pairs chosen_options(const ReportInfo& info);  // without what is off or the same in all reports

// Commands that fit the report.
std::vector<std::string> next_commands(const ReportInfo& info);

std::string info_text(const ReportInfo& info);
std::string info_json(const ReportInfo& info);

}  // namespace prof::info
