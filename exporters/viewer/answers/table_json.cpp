#include "exporters/viewer/answers/table_json.hpp"

#include <algorithm>

#include "exporters/analysis/tables/table_data.hpp"

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
    for (const tables::Cell& cell : table.rows[i]) tables::add_value(json, cell);
    json.end_list();
  }
  json.end_list().pair("more", table.rows.size() - shown);
}

void add_texts(Json& json, std::string_view name, const std::vector<std::string>& texts) {
  json.key(name).begin_list();
  for (const std::string& text : texts) json.value(text);
  json.end_list();
}

}  // namespace prof::view
