#include "exporters/analysis/tables/table_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "exporters/analysis/tables/cell_text.hpp"

namespace prof::tables {

namespace {

// Quotes the cell that starts at `first`, if necessary.
void quote(std::string& line, std::size_t first, char separator) {
  const auto is_special = [&](char c) {
    return c == '"' || c == '\r' || c == '\n' || c == separator;
  };
  if (std::none_of(line.begin() + static_cast<std::ptrdiff_t>(first), line.end(), is_special))
    return;
  std::string quoted = "\"";
  std::string_view text = std::string_view(line).substr(first);
  for (std::size_t at = text.find('"'); at != std::string_view::npos; at = text.find('"')) {
    quoted.append(text.substr(0, at)).append("\"\"");
    text.remove_prefix(at + 1);
  }
  quoted.append(text) += '"';
  line.replace(first, std::string::npos, quoted);
}

std::string json_value(const Cell& cell, const ColumnSpec& column) {
  const auto* real = std::get_if<double>(&cell);
  const bool is_infinite = real != nullptr && !std::isfinite(*real);
  if (is_infinite || std::holds_alternative<std::monostate>(cell)) return "null";
  std::string value;
  add_plain_text(value, cell, column);
  return column.kind == CellKind::kText ? base::quoted_json(value) : value;
}

}  // namespace

void add_separated(TextSink& out, const Table& table, char separator) {
  std::string line;
  // A cell is quoted if `add_cell` returns true: numbers have nothing to quote.
  const auto add_line = [&](auto add_cell) {
    line.clear();
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      if (i > 0) line += separator;
      const std::size_t first = line.size();
      if (add_cell(i)) quote(line, first, separator);
    }
    line += '\n';
    out += line;
  };
  add_line([&](std::size_t i) {
    line += table.columns[i].header;
    return true;
  });
  for (const auto& row : table.rows)
    add_line([&](std::size_t i) {
      add_plain_text(line, row[i], table.columns[i]);
      return std::holds_alternative<Text>(row[i]);
    });
  out += "\n";
}

void add_value(base::Json& json, const Cell& cell) {
  if (const auto* integer = std::get_if<std::int64_t>(&cell))
    json.value(*integer);
  else if (const auto* real = std::get_if<double>(&cell))
    json.value(*real);
  else if (const auto* text = std::get_if<Text>(&cell))
    json.value(text->view());
  else
    json.null();
}

void add_json(TextSink& out, const Table& table) {
  std::vector<std::string> keys;
  for (const ColumnSpec& column : table.columns) keys.push_back(base::quoted_json(column.header));
  out += "[";
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    out += r == 0 ? "\n  {\n" : ",\n  {\n";
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      out += fmt::format("    {}: {}{}\n", keys[i], json_value(table.rows[r][i], table.columns[i]),
                         i + 1 < table.columns.size() ? "," : "");
    }
    out += "  }";
  }
  out += "\n]\n\n";
}

}  // namespace prof::tables
