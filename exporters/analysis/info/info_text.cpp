// Prints a report's information as a text for people and as JSON.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "common/base/text/shell_word.hpp"
#include "exporters/analysis/info/report_info.hpp"
#include "exporters/analysis/tables/cell_text.hpp"
#include "exporters/analysis/tables/readable_units.hpp"
#include "exporters/analysis/tables/visible_text.hpp"

namespace prof::info {

namespace {

constexpr std::size_t kLongest = 2000;  // maximum characters of a value
constexpr std::size_t kWidth = 120;

// Options that are not shown, because they say nothing about this recording.
constexpr std::string_view kUsual[] = {"DEVICE_ID",
                                       "DEVICE_TYPE",
                                       "DEVICE_DISPLAY_NAME",
                                       "START_TRIGGER",
                                       "STOP_TRIGGER",
                                       "RUN_DURATION_MS",
                                       "THREAD_STATE_SCAN_FREQ",
                                       "POWER_RATE_SCAN_FREQ",
                                       "PROFILING_SESSION_UUID",
                                       "PROCESS_0:HOW_TO_ATTACH"};

std::string shown(std::string_view text) { return tables::one_line(text, kLongest); }

std::string size_text(std::int64_t bytes) {
  return *tables::readable_text(bytes, tables::Measure::kBytes);
}

std::string grouped(std::int64_t number) {
  std::string text;
  tables::add_grouped_text(text, number, {"", tables::CellKind::kInteger});
  return text;
}

class InfoText {
 public:
  explicit InfoText(const ReportInfo& info) : info_(info) {}

  std::string text() {
    add_run();
    add_machine();
    add_options();
    add_contents();
    add_diagnostics();
    add_files();
    add_commands();
    return text_;
  }

 private:
  void add(std::string_view title, std::string_view value) {
    text_ += fmt::format("  {:<14} {}\n", title, shown(value));
  }

  void add_run() {
    text_ += fmt::format("\n{}\n\n", shown(info_.path));
    for (const auto& [name, value] : run_facts(info_)) add(name, value);
  }

  void add_machine() {
    if (!info_.machine.empty() || !info_.gpus.empty()) text_ += "\nMachine\n";
    for (const auto& [name, value] : machine_facts(info_)) add(name, value);
  }

  void add_options() {
    std::string list;
    for (const auto& [name, value] : chosen_options(info_))
      list += fmt::format("  {:<46} {}\n", shown(name), shown(value));
    if (!list.empty()) text_ += "\nOptions of the recording\n" + list;
  }

  void add_contents() {
    text_ += "\nContents\n";
    for (const auto& [name, rows, statistics] : info_.contents)
      text_ += fmt::format("  {:>13}  {}{}\n", grouped(rows), name,
                           statistics.empty() ? "" : "  → " + statistics);
    if (info_.contents.empty()) text_ += "  no events\n";
  }

  void add_diagnostics() {
    std::string losses;
    std::string warnings;
    std::string others;
    for (const Diagnostic& each : info_.diagnostics) {
      const char* level = each.severity >= kError     ? "error: "
                          : each.severity == kWarning ? "warning: "
                                                      : "";
      const std::string line =
          tables::wrap_lines(fmt::format("  {}{}", level, shown(each.text)), kWidth, "    ") + '\n';
      (is_loss(each) ? losses : each.severity >= kWarning ? warnings : others) += line;
    }
    text_ += "\nLost events\n" + (losses.empty() ? "  none reported\n" : losses);
    if (!warnings.empty() || !others.empty()) text_ += "\nDiagnostics\n" + warnings + others;
  }

  void add_files() {
    if (!info_.files.empty()) text_ += "\nOutput of the program (--output prints it)\n";
    for (const KeptFile& file : info_.files)
      text_ +=
          fmt::format("  {:>9}  {} (pid {})\n", size_text(file.bytes), shown(file.name), file.pid);
  }

  void add_commands() {
    text_ += "\nNext\n";
    for (const std::string& command : next_commands(info_)) text_ += "  " + command + '\n';
    text_ += '\n';
  }

  const ReportInfo& info_;
  std::string text_;
};

bool has(const ReportInfo& info, std::string_view kind) {
  return std::any_of(info.contents.begin(), info.contents.end(),
                     [&](const Content& each) { return each.name == kind; });
}

void add_known(Pairs& pairs, const std::string& name, std::string value) {
  if (!value.empty()) pairs.emplace_back(name, std::move(value));
}

}  // namespace

Pairs run_facts(const ReportInfo& info) {
  Pairs facts;
  add_known(facts, "Command", info.command);
  add_known(facts, "Directory", info.directory);
  add_known(facts, "Rank", ranks_text(info.ranks));
  add_known(facts, "Exit status", info.exit_status.value_or(""));
  add_known(facts, "Started", info.start);
  if (info.duration)
    add_known(facts, "Duration",
              *tables::readable_text(*info.duration, tables::Measure::kDuration));
  for (const std::string& cause : info.causes) add_known(facts, "Written", cause);
  add_known(facts, "Recorded by",
            info.product + (info.schema.empty() ? "" : " (schema " + info.schema + ")"));
  return facts;
}

Pairs machine_facts(const ReportInfo& info) {
  Pairs facts;
  for (const auto& [name, value] : info.machine) add_known(facts, name, value);
  for (const std::string& gpu : info.gpus) add_known(facts, "GPU", gpu);
  if (info.wall_clock) add_known(facts, "Wall clock", wall_clock_text(*info.wall_clock));
  return facts;
}

// Returns the options that the user chose. An option may have several values.
Pairs chosen_options(const ReportInfo& info) {
  Pairs options;
  for (const auto& [name, value] : info.options) {
    if (value.empty() || value == "false" || value == "0" || value == "none") continue;
    if (std::ranges::find(kUsual, name) != std::end(kUsual)) continue;
    if (!options.empty() && options.back().first == name)
      options.back().second += ", " + value;
    else
      options.emplace_back(name, value);
  }
  return options;
}

std::vector<std::string> next_commands(const ReportInfo& info) {
  const std::string report = base::shell_word(info.path);
  std::vector<std::string> commands = {"prof analyze " + report, "prof stats " + report};
  for (const auto& [name, rows, statistics] : info.contents)
    if (name.find("samples") != std::string::npos || name == "GPU kernels")
      commands.push_back(
          fmt::format("prof stats -r {} {}", statistics.substr(0, statistics.find(',')), report));
  if (has(info, "CPU samples"))
    commands.push_back("prof export --type=speedscope -o profile.json " + report);
  else if (has(info, "Python samples"))
    commands.push_back("prof export --type=speedscope --samples=python -o profile.json " + report);
  commands.push_back("prof diff " + report + " OTHER");
  return commands;
}

std::string info_text(const ReportInfo& info) { return InfoText(info).text(); }

std::string info_json(const ReportInfo& info, const std::string& clock) {
  using Json = nlohmann::ordered_json;
  const auto or_null = [](const auto& value) { return value ? Json(*value) : Json(); };
  Json document = {{"report", info.path},
                   {"product", info.product},
                   {"schema", info.schema},
                   {"command", info.command},
                   {"directory", info.directory},
                   {"exit_status", or_null(info.exit_status)},
                   {"started", info.start},
                   {"duration_ns", or_null(info.duration)},
                   {"gpus", info.gpus}};
  for (const char* list : {"machine", "contents", "tables", "options", "diagnostics", "files"})
    document[list] = list == std::string_view("machine") || list == std::string_view("tables")
                         ? Json::object()
                         : Json::array();
  for (const auto& [name, value] : info.machine) document["machine"][name] = value;
  for (const auto& [name, rows] : info.tables) document["tables"][name] = rows;
  for (const auto& [name, rows, statistics] : info.contents)
    document["contents"].push_back({{"name", name}, {"rows", rows}, {"statistics", statistics}});
  for (const auto& [name, value] : info.options)
    document["options"].push_back({{"name", name}, {"value", value}});
  for (const Diagnostic& each : info.diagnostics)
    document["diagnostics"].push_back({{"time_ns", each.time},
                                       {"severity", each.severity},
                                       {"text", each.text},
                                       {"is_loss", is_loss(each)}});
  for (const KeptFile& file : info.files)
    document["files"].push_back({{"pid", file.pid}, {"name", file.name}, {"bytes", file.bytes}});
  document["ranks"] = Json::array();
  for (const Rank& each : info.ranks)
    document["ranks"].push_back({{"pid", each.pid},
                                 {"rank", each.rank},
                                 {"size", or_null(each.size)},
                                 {"local_rank", or_null(each.local_rank)},
                                 {"node_rank", or_null(each.node_rank)},
                                 {"job", each.job},
                                 {"attempt", or_null(each.attempt)},
                                 {"source", each.source},
                                 {"is_best_source", each.precedence == 0}});
  if (info.wall_clock)
    document["wall_clock"] = {{"is_synchronized", info.wall_clock->is_synchronized},
                              {"max_error_ns", info.wall_clock->max_error},
                              {"boot_id", info.wall_clock->boot_id},
                              {"start_monotonic_raw_ns", info.wall_clock->started},
                              {"start_epoch_ns", info.wall_clock->started_epoch}};
  if (!clock.empty()) document["clock"] = Json::parse(clock);
  document["next"] = next_commands(info);
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace prof::info
