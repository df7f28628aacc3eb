#include "exporters/viewer/answers/table_json.hpp"

#include <algorithm>

namespace prof::view {

namespace {

const char* name_of(tables::CellKind kind) {
  switch (kind) {
    case tables::CellKind::kInteger:
      return "integer";
    case tables::CellKind::kReal:
      return "real";
    case tables::CellKind::kText:
      return "text";
  }
  return "text";
}

void add_cell(Json& json, const tables::Cell& cell) {
  if (const auto* whole = std::get_if<std::int64_t>(&cell))
    json.value(*whole);
  else if (const auto* real = std::get_if<double>(&cell))
    json.value(*real);
  else if (const auto* text = std::get_if<tables::Text>(&cell))
    json.value(text->view());
  else
    json.null();
}

}  // namespace

void add_table(Json& json, const tables::Table& table, std::size_t most) {
  json.key("columns").begin_list();
  for (const tables::ColumnSpec& each : table.columns)
    json.begin_object()
        .pair("header", each.header)
        .pair("kind", name_of(each.kind))
        .pair("decimals", each.decimals)
        .end_object();
  json.end_list().key("rows").begin_list();
  const std::size_t shown = std::min(most, table.rows.size());
  for (std::size_t i = 0; i < shown; ++i) {
    json.begin_list();
    for (const tables::Cell& cell : table.rows[i]) add_cell(json, cell);
    json.end_list();
  }
  json.end_list().pair("more", table.rows.size() - shown);
}

}  // namespace prof::view
