// Layers of tables with times that no other layer shows, such as tables of other systems' APIs.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <initializer_list>
#include <map>
#include <set>
#include <string_view>

#include "exporters/analysis/events/event_tables.hpp"
#include "exporters/analysis/events/metrics/ftrace_types.hpp"
#include "exporters/analysis/events/rows.hpp"
#include "exporters/viewer/timeline/derived/derived_rows.hpp"
#include "exporters/viewer/timeline/layers/layer_parts.hpp"

namespace prof::timeline {

namespace {

bool has_only_facts(const std::string& table) {
  return table.starts_with("TARGET_INFO") || table.starts_with("META_DATA") ||
         table.starts_with("ENUM_") || table.starts_with("ANALYSIS_");
}

// Returns the first of these columns that the table has, or NULL.
std::string first_of(const report::ReportReader& reader, const std::string& table,
                     std::initializer_list<const char*> columns) {
  for (const char* each : columns)
    if (reader.has_column(table, each)) return report::quoted(each);
  return "NULL";
}

// Returns a table's name as a title: "VULKAN_DEBUG_API" is "Vulkan debug API".
std::string title_of_table(std::string_view table) {
  constexpr std::array<std::string_view, 16> kAbbreviations = {
      "API", "CPU",  "CUDA", "ETW", "GPU",  "GUI", "IB", "MPI",
      "NIC", "NVTX", "OS",   "PC",  "PCIE", "UCX", "UM", "WDDM"};
  for (const std::string_view prefix : {"CUPTI_ACTIVITY_KIND_", "PROF_"})
    if (table.starts_with(prefix)) table.remove_prefix(prefix.size());
  std::string title;
  while (!table.empty()) {
    const std::string_view word = table.substr(0, table.find('_'));
    table.remove_prefix(std::min(table.size(), word.size() + 1));
    const bool is_short =
        std::find(kAbbreviations.begin(), kAbbreviations.end(), word) != kAbbreviations.end() ||
        std::any_of(word.begin(), word.end(),
                    [](unsigned char c) { return std::isdigit(c) != 0 || std::islower(c) != 0; });
    if (!title.empty()) title += ' ';
    for (const char c : word)
      title += is_short || title.empty()
                   ? c
                   : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return title;
}

Source other_source(const report::ReportReader& reader, const std::string& table,
                    const std::string& start, bool has_place) {
  Source source;
  source.table = table;
  source.start = start;
  const std::string end = first_of(reader, table, {"end", "endedAt"});
  const bool has_end = end != "NULL";
  source.end = has_end ? end : start;
  source.open_ends = true;
  source.columns = fmt::format("{}, {}, {}", first_of(reader, table, {"globalTid", "globalPid"}),
                               first_of(reader, table, {"nameId", "textId"}),
                               first_of(reader, table, {"text", "name"}));
  source.read = [title = title_of_table(table), has_end, has_place](
                    const report::Row& row, ScanContext& context, Reading& event) {
    if (has_place) event.key.ids[0] = row.integer(kFirst);
    if (!row.is_null(kFirst + 1))
      event.name = context.names.string(row.integer(kFirst + 1));
    else
      event.name = context.names.text(row.is_null(kFirst + 2) ? title : row.text(kFirst + 2));
    event.layout = Layout::kFirstFit;
    if (!has_end) make_instant(event);
  };
  return source;
}

// Adds a layer for events of the kernel's tracepoints, which share a table with counters.
void add_ftrace_layer(const report::ReportReader& reader, std::vector<Layer>& layers) {
  const std::string is_ftrace = events::is_ftrace_type(reader, "typeId");
  if (is_ftrace.empty() || !reader.has_table(events::kGenericEventTable)) return;
  Source source;
  source.table = events::kGenericEventTable;
  source.start = source.end = "timestamp";
  source.columns = "globalTid, typeId";
  source.condition = is_ftrace;
  std::map<std::int64_t, std::int64_t> names;  // in StringIds, by type
  const base::Status read = events::for_each_row(
      reader, "SELECT typeId, nameId FROM GENERIC_EVENT_TYPES WHERE " + is_ftrace,
      [&](const report::Statement& row) { names[row.integer(0)] = row.integer(1); });
  if (!read || names.empty()) return;
  source.read = [names = std::move(names)](const report::Row& row, ScanContext& context,
                                           Reading& event) {
    event.key.ids[0] = row.integer(kFirst);
    event.name = context.names.string(names.at(row.integer(kFirst + 1)));
    make_instant(event);
  };
  layers.push_back(layer_of(RowKind::kOther, TreeLevel::kThread, std::move(source), "ftrace"));
}

}  // namespace

void add_other_layers(const report::ReportReader& reader, std::vector<Layer>& layers) {
  add_ftrace_layer(reader, layers);
  std::set<std::string> shown;
  for (const Layer& layer : layers)
    for (const Source& source : layer.sources) shown.insert(source.table);
  for (const std::string& table : reader.tables()) {
    const std::string start = first_of(reader, table, {"start", "timestamp", "startedAt"});
    if (start == "NULL" || shown.contains(table) || has_only_facts(table) ||
        is_derived_table(table))
      continue;
    TreeLevel place =
        reader.has_column(table, "globalPid") ? TreeLevel::kProcess : TreeLevel::kReport;
    if (reader.has_column(table, "globalTid")) place = TreeLevel::kThread;
    // Messages of the profiler belong to no process of the program.
    const bool is_diagnostic = table == "DIAGNOSTIC_EVENT";
    if (is_diagnostic) place = TreeLevel::kReport;
    layers.push_back(layer_of(RowKind::kOther, place,
                              other_source(reader, table, start, place != TreeLevel::kReport),
                              is_diagnostic ? "Messages of the profiler" : title_of_table(table)));
  }
}

}  // namespace prof::timeline
