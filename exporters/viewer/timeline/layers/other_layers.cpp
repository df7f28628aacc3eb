// Layers of tables with times that no other layer shows, such as tables of other systems' APIs.
#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <set>

#include "exporters/analysis/events/event_tables.hpp"
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
  source.read = [table, has_end, has_place](const report::Row& row, ScanContext& context,
                                            Reading& event) {
    if (has_place) event.key.ids[0] = row.integer(kFirst);
    if (!row.is_null(kFirst + 1))
      event.name = context.names.string(row.integer(kFirst + 1));
    else
      event.name = context.names.text(row.is_null(kFirst + 2) ? table : row.text(kFirst + 2));
    event.layout = Layout::kFirstFit;
    if (!has_end) make_instant(event);
  };
  return source;
}

}  // namespace

void add_other_layers(const report::ReportReader& reader, std::vector<Layer>& layers) {
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
                              is_diagnostic ? "Messages of the profiler" : table));
  }
}

}  // namespace prof::timeline
