// api/statistics and api/statistic: the statistics of prof stats.
#include <fmt/format.h>

#include <algorithm>

#include "exporters/analysis/events/rows.hpp"
#include "exporters/analysis/stats/catalog.hpp"
#include "exporters/analysis/stats/defaults.hpp"
#include "exporters/viewer/answers/handlers.hpp"
#include "exporters/viewer/answers/report/report_scope.hpp"
#include "exporters/viewer/answers/table_json.hpp"

namespace prof::view {

namespace {

using stats::Statistic;

bool is_trace(const Statistic& statistic) {
  return std::string_view(statistic.name).ends_with("_trace");
}

bool has_rows(const report::ReportReader& reader, const std::string& table) {
  auto query = reader.prepare(fmt::format("SELECT 1 FROM {} LIMIT 1", report::quoted(table)));
  if (!query) return false;
  const auto row = query->step();
  return row && *row;
}

std::vector<std::string> tables_of(const Statistic& statistic, const report::ReportReader& reader) {
  std::vector<std::string> tables;
  for (const char* name : statistic.tables)
    if (name != nullptr)
      for (std::string& table : events::tables_like(reader, name))
        tables.push_back(std::move(table));
  return tables;
}

// Returns the statistics in reading order: those that answer most questions come first, traces
// last.
std::vector<const Statistic*> in_order() {
  std::vector<const Statistic*> all = stats::defaults_for_terminal();
  for (const bool traces : {false, true})
    for (const Statistic& each : stats::catalog())
      if (is_trace(each) == traces && std::find(all.begin(), all.end(), &each) == all.end())
        all.push_back(&each);
  return all;
}

// Refuses traces that are too long for memory, because a trace has a row for each event.
Outcome<void> check_size(const Statistic& statistic, const report::ReportReader& reader) {
  constexpr std::int64_t kMaximum = 1'000'000;
  if (!is_trace(statistic)) return {};
  std::int64_t rows = 0;
  for (const std::string& table : tables_of(statistic, reader)) {
    const base::Status read =
        events::for_each_row(reader, "SELECT count(*) FROM " + report::quoted(table),
                             [&](const report::Statement& row) { rows += row.integer(0); });
    if (!read) return unreadable(read.error());
  }
  if (rows <= kMaximum) return {};
  return fault(400, fmt::format("{} has {} events in this span. Select a shorter one, or use prof "
                                "stats -r {}.",
                                statistic.name, rows, statistic.name));
}

// Returns a pattern that matches this name only, apart from a few characters.
std::string pattern_of(std::string name) {
  constexpr std::string_view kSigns = "*?[]\\";
  bool is_glob = false;
  for (char& each : name)
    if (kSigns.find(each) != std::string_view::npos) {
      each = '?';
      is_glob = true;
    }
  // A pattern without such signs would also match longer names.
  const bool is_ascii = !name.empty() && static_cast<unsigned char>(name[0]) < 0x80;
  if (!is_glob && is_ascii) name[0] = '?';
  return name;
}

// Keeps the rows of one kernel: those with this text in the column "Name".
Outcome<void> keep_kernel(tables::Table& table, const std::string& kernel) {
  const auto column =
      std::find_if(table.columns.begin(), table.columns.end(), [](const tables::ColumnSpec& each) {
        return each.header == "Name" && each.kind == tables::CellKind::kText;
      });
  if (column == table.columns.end()) return fault(400, "this statistic has no names of kernels");
  const auto index = static_cast<std::size_t>(column - table.columns.begin());
  std::erase_if(table.rows, [&](const std::vector<tables::Cell>& row) {
    const auto* text = std::get_if<tables::Text>(&row[index]);
    return text == nullptr || text->view() != kernel;
  });
  return {};
}

}  // namespace

Outcome<Answer> answer_statistics(const Sources& sources, const Parameters& parameters) {
  const auto scope = report_scope(sources, parameters);
  if (!scope) return tl::make_unexpected(scope.error());
  const ServedReport& report = sources.reports[scope->index];
  const auto reader = report.read();
  if (!reader) return tl::make_unexpected(reader.error());
  Json json;
  json.begin_object().key("statistics").begin_list();
  for (const Statistic* each : in_order()) {
    const auto tables = tables_of(*each, *reader);
    const bool has_data = std::any_of(tables.begin(), tables.end(), [&](const std::string& table) {
      return has_rows(*reader, table);
    });
    if (!has_data) continue;
    json.begin_object()
        .pair("name", each->name)
        .pair("title", each->title)
        .pair("help", each->help)
        .pair("arguments", stats::usage(each->takes))
        .end_object();
  }
  json.end_list().end_object();
  if (const auto sound = report.readable(*reader); !sound)
    return tl::make_unexpected(sound.error());
  return Answer{json.take()};
}

Outcome<Answer> answer_statistic(const Sources& sources, const Parameters& parameters) {
  constexpr std::int64_t kUsualRows = 1000;
  constexpr std::int64_t kMaxRows = 100'000;
  const std::string request(parameters.text("name"));
  const std::size_t colon = std::min(request.find(':'), request.size());
  const Statistic* statistic = stats::find_statistic(request.substr(0, colon));
  if (statistic == nullptr) return fault(404, "there is no statistic " + request.substr(0, colon));
  auto arguments = stats::parse_arguments(
      std::string_view(request).substr(std::min(colon + 1, request.size())), statistic->takes);
  if (!arguments) return fault(400, arguments.error().message);
  const std::string kernel(parameters.text("kernel"));
  if (statistic->takes == stats::Takes::kKernel && !kernel.empty())
    arguments->kernel = pattern_of(kernel);
  const auto limit = parameters.integer_in("limit", 1, kMaxRows, kUsualRows);
  if (!limit) return tl::make_unexpected(limit.error());
  const auto scope = report_scope(sources, parameters);
  if (!scope) return tl::make_unexpected(scope.error());

  const ServedReport& report = sources.reports[scope->index];
  const auto reader = filtered_reader(report, scope->filter);
  if (!reader) return tl::make_unexpected(reader.error());
  if (const auto fits = check_size(*statistic, *reader); !fits)
    return tl::make_unexpected(fits.error());
  auto table = stats::run(*statistic, *reader, *arguments);
  if (!table) return unreadable(table.error());
  if (!kernel.empty())
    if (const auto kept = keep_kernel(*table, kernel); !kept)
      return tl::make_unexpected(kept.error());
  if (const auto sound = report.readable(*reader); !sound)
    return tl::make_unexpected(sound.error());
  Json json;
  json.begin_object().pair("name", statistic->name).pair("title", statistic->title);
  add_table(json, *table, static_cast<std::size_t>(*limit));
  json.pair("note", reading_notes(*reader)).end_object();
  return Answer{json.take()};
}

}  // namespace prof::view
