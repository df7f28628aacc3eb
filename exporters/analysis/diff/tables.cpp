#include "exporters/analysis/diff/tables.hpp"

#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "common/base/text/json.hpp"
#include "common/base/text/marked_name.hpp"
#include "exporters/analysis/tables/table_format.hpp"

namespace prof::diff {

using tables::Cell;
using tables::CellKind;

namespace {

constexpr int kRatioDecimals = 3;

Cell ratio(double before, double after) { return before == 0 ? Cell{} : Cell{after / before}; }

// Returns the row of a figure. Integers stay integers.
template <class Number>
std::vector<Cell> figure_row(const char* name, std::optional<Number> before,
                             std::optional<Number> after) {
  const auto cell = [](std::optional<Number> value) { return value ? Cell{*value} : Cell{}; };
  if (!before || !after) return {name, cell(before), cell(after), Cell{}, Cell{}};
  return {name, *before, *after, *after - *before,
          ratio(static_cast<double>(*before), static_cast<double>(*after))};
}

// Returns the busy time of the GPUs in percent of the duration, averaged over all GPUs with
// operations.
std::optional<double> busy_percent(const Figures& figures, std::optional<std::int64_t> duration) {
  const auto possible = static_cast<double>(duration.value_or(0) * figures.gpus);
  if (possible == 0) return std::nullopt;
  return 100 * static_cast<double>(figures.gpu_busy) / possible;
}

// Converts a table through its JSON text, so that the numbers are rounded as in the other formats.
nlohmann::ordered_json json_rows(const tables::Table& table) {
  return nlohmann::ordered_json::parse(
      tables::format_table(table, tables::TableFormat::kJson, "", ""));
}

// Names of a headline are short, so none is cut here.
nlohmann::ordered_json names_json(const base::NameList& names) {
  nlohmann::ordered_json object = nlohmann::ordered_json::object();
  std::size_t number = 0;
  for (const base::KnownName& each : names.names())
    object["n" + std::to_string(++number)] = {{"kind", each.kind}, {"text", each.text}};
  return object;
}

nlohmann::ordered_json differences_json(const std::vector<recording::Difference>& differences) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const recording::Difference& each : differences)
    list.push_back({{"respect", each.respect->id}, {"before", each.before}, {"after", each.after}});
  return list;
}

}  // namespace

tables::Table summary_table(const Figures& before, const Figures& after) {
  const auto [of_session, first, second] = durations(before, after);
  using Whole = std::optional<std::int64_t>;
  tables::Table table{
      {{"Figure", CellKind::kText},
       {"Before", CellKind::kReal, 1},
       {"After", CellKind::kReal, 1},
       {"Difference", CellKind::kReal, 1},
       {"Ratio", CellKind::kReal, kRatioDecimals}},
      {figure_row(of_session ? "Session (ns)" : "First to last GPU operation (ns)", first, second),
       figure_row("GPU busy (ns)", Whole(before.gpu_busy), Whole(after.gpu_busy)),
       figure_row("GPU busy (%)", busy_percent(before, first), busy_percent(after, second)),
       figure_row("Kernels", Whole(before.kernels), Whole(after.kernels))}};
  if (before.cpu_time || after.cpu_time)
    table.rows.push_back(figure_row("CPU time (ns)", before.cpu_time, after.cpu_time));
  if (before.switches || after.switches)
    table.rows.push_back(figure_row("Context switches", before.switches, after.switches));
  return table;
}

tables::Table changes_table(const std::vector<Change>& changes) {
  tables::Table table{{{"Category", CellKind::kText},
                       {"Count Before", CellKind::kInteger},
                       {"Count After", CellKind::kInteger},
                       {"Time Before (ns)", CellKind::kInteger},
                       {"Time After (ns)", CellKind::kInteger},
                       {"Difference (ns)", CellKind::kInteger},
                       {"Ratio", CellKind::kReal, kRatioDecimals},
                       {"Status", CellKind::kText},
                       {"Name", CellKind::kText}},
                      {}};
  for (const Change& change : changes) {
    const auto& [category, name, before, after] = change;
    table.rows.push_back({category->name, before.count, after.count, before.time, after.time,
                          change.difference(),
                          ratio(static_cast<double>(before.time), static_cast<double>(after.time)),
                          status(change), name});
  }
  return table;
}

std::string json_document(const Heading& heading, const tables::Table& summary,
                          const tables::Table& changes,
                          const std::optional<tables::Table>& metrics) {
  base::NameList names;
  nlohmann::ordered_json lines = nlohmann::ordered_json::array();
  for (const std::string& line : heading.headline) lines.push_back(names.take_out(line));
  nlohmann::ordered_json document = {
      {"before", heading.before},     {"after", heading.after},
      {"headline", std::move(lines)}, {"differences", differences_json(heading.differences)},
      {"names", names_json(names)},   {"summary", json_rows(summary)},
      {"changes", json_rows(changes)}};
  if (metrics) document["kernel_metrics"] = json_rows(*metrics);
  return base::visible_json(
             document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace)) +
         '\n';
}

}  // namespace prof::diff
