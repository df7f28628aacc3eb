#include "exporters/analysis/info/report_info.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <functional>
#include <map>

#include "exporters/analysis/events/rows.hpp"
#include "exporters/analysis/info/contents.hpp"
#include "exporters/analysis/tables/pattern.hpp"

namespace prof::info {

namespace {

using report::Statement;

constexpr const char* kFileTable = "ANALYSIS_FILE";

// Reads a table that the report may lack.
base::Status read_table(const report::ReportReader& reader, const char* table,
                        const std::string& columns, const std::string& end,
                        const std::function<void(const Statement&)>& visit) {
  if (!reader.has_table(table)) return {};
  return events::for_each_row(reader, fmt::format("SELECT {} FROM main.{} {}", columns, table, end),
                              visit);
}

struct MachineFact {
  const char* name;  // name in TARGET_INFO_SYSTEM_ENV
  const char* title;
};
constexpr MachineFact kMachineFacts[] = {{"Hostname", "Host"},
                                         {"CpuDescription", "CPU"},
                                         {"CpuCores", "CPUs"},
                                         {"OsDescription", "OS"},
                                         {"SoftwareReleaseVersion", "Kernel"},
                                         {"NvDriverVersion", "NVIDIA driver"},
                                         {"CudaDriverVersion", "CUDA"}};

// Returns "13.0" for 13000.
std::string cuda_version(const std::string& number) {
  const long value = std::strtol(number.c_str(), nullptr, 10);
  return value < 1000 ? number : fmt::format("{}.{}", value / 1000, value % 1000 / 10);
}

base::Status read_machine(const report::ReportReader& reader, ReportInfo& info) {
  std::map<std::string, std::string, std::less<>> facts;
  base::Status read = read_table(
      reader, "TARGET_INFO_SYSTEM_ENV", "name, value", "",
      [&](const Statement& row) { facts.try_emplace(std::string(row.text(0)), row.text(1)); });
  for (const auto& [name, title] : kMachineFacts)
    if (const auto fact = facts.find(name); fact != facts.end() && !fact->second.empty())
      info.machine.emplace_back(
          title, title == std::string_view("CUDA") ? cuda_version(fact->second) : fact->second);
  if (!read || !reader.has_column("TARGET_INFO_GPU", "totalMemory")) return read;
  return read_table(
      reader, "TARGET_INFO_GPU", "name, totalMemory", "ORDER BY id", [&](const Statement& row) {
        info.gpus.push_back(
            fmt::format("{} ({:.1f} GB)", row.text(0), static_cast<double>(row.integer(1)) / 1e9));
      });
}

// Reads META_DATA_CAPTURE. The command is one value, or the program and its arguments as separate
// values.
base::Status read_capture(const report::ReportReader& reader, ReportInfo& info) {
  constexpr std::string_view kProcess = "PROCESS_0:";
  return read_table(
      reader, "META_DATA_CAPTURE", "name, value", "ORDER BY rowid", [&](const Statement& row) {
        const std::string name(row.text(0));
        const std::string value(row.text(1));
        const bool is_process = name.starts_with(kProcess);
        if (name.starts_with("FLIGHT_RECORDER:CAUSE_")) info.causes.push_back(value);
        const std::string_view of_process =
            is_process ? std::string_view(name).substr(kProcess.size()) : std::string_view();
        if (of_process == "COMMAND")
          info.command.insert(0, value);
        else if (of_process.starts_with("ARGUMENT_"))
          info.command += ' ' + value;
        else if (of_process == "WORKING_DIR")
          info.directory = value;
        else if (of_process == "EXIT_STATUS")
          info.exit_status = value;
        else
          info.options.emplace_back(name, value);
      });
}

base::Status read_export(const report::ReportReader& reader, ReportInfo& info) {
  std::string name;
  std::string version;
  const base::Status read =
      read_table(reader, "META_DATA_EXPORT", "name, value", "", [&](const Statement& row) {
        const std::string_view key = row.text(0);
        if (key == "EXPORT_PRODUCT_NAME") name = row.text(1);
        if (key == "EXPORT_PRODUCT_VERSION") version = row.text(1);
        if (key == "EXPORT_SCHEMA_VERSION") info.schema = row.text(1);
      });
  info.product = name + (version.empty() ? "" : " " + version);
  return read;
}

base::Status read_times(const report::ReportReader& reader, ReportInfo& info) {
  const base::Status read =
      read_table(reader, "TARGET_INFO_SESSION_START_TIME", "localTime", "LIMIT 1",
                 [&](const Statement& row) { info.start = row.text(0); });
  if (!read) return read;
  return read_table(reader, "ANALYSIS_DETAILS", "duration", "LIMIT 1",
                    [&](const Statement& row) { info.duration = row.integer(0); });
}

base::Status read_job(const report::ReportReader& reader, ReportInfo& info) {
  auto ranks = read_ranks(reader);
  if (!ranks) return tl::make_unexpected(ranks.error());
  auto clock = read_wall_clock(reader);
  if (!clock) return tl::make_unexpected(clock.error());
  auto machine_clock = events::read_machine_clock(reader);
  if (!machine_clock) return tl::make_unexpected(machine_clock.error());
  info.machine_clock = *std::move(machine_clock);
  info.ranks = std::move(*ranks);
  info.wall_clock = std::move(*clock);
  return {};
}

base::Status read_diagnostics(const report::ReportReader& reader, ReportInfo& info) {
  return read_table(
      reader, "DIAGNOSTIC_EVENT", "timestamp, severity, text",
      "ORDER BY severity DESC, timestamp, rowid", [&](const Statement& row) {
        info.diagnostics.push_back({row.integer(0), row.integer(1), std::string(row.text(2))});
      });
}

// Returns an SQL expression for a file's content. In nsys's older exports the content is in the
// table itself.
const char* content_column(const report::ReportReader& reader) {
  return reader.has_column(kFileTable, "contentId")
             ? "(SELECT value FROM main.StringIds s WHERE s.id = contentId)"
             : "content";
}

base::Status read_files(const report::ReportReader& reader, ReportInfo& info) {
  return read_table(
      reader, kFileTable,
      fmt::format("id, globalPid >> 24 & 0xffffff, filename, length(CAST({} AS BLOB))",
                  content_column(reader)),
      "ORDER BY id", [&](const Statement& row) {
        info.files.push_back(
            {row.integer(0), row.integer(1), std::string(row.text(2)), row.integer(3)});
      });
}

}  // namespace

base::Result<ReportInfo> read_info(const report::ReportReader& reader) {
  ReportInfo info;
  info.path = reader.path();
  for (const auto read : {read_export, read_capture, read_times, read_job, read_machine,
                          read_contents, read_diagnostics, read_files})
    if (const base::Status done = read(reader, info); !done)
      return tl::make_unexpected(done.error());
  return info;
}

base::Result<std::string> content_of(const report::ReportReader& reader, const KeptFile& file) {
  std::string content;
  const base::Status read =
      read_table(reader, kFileTable, content_column(reader), fmt::format("WHERE id = {}", file.id),
                 [&](const Statement& row) { content = row.text(0); });
  if (!read) return tl::make_unexpected(read.error());
  return content;
}

bool is_loss(const Diagnostic& diagnostic) {
  if (diagnostic.severity < kWarning) return false;
  for (const std::string_view word : {"dropped", "lost", "incomplete", "damaged", "missing"})
    if (tables::contains(diagnostic.text, word)) return true;
  return false;
}

}  // namespace prof::info
