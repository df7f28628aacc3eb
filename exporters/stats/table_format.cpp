#include "exporters/stats/table_format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "exporters/stats/cell_text.hpp"
#include "exporters/stats/table_markup.hpp"

namespace prof::stats {

namespace {

struct FormatName {
  TableFormat format;
  const char* name;
  const char* extension;
};
constexpr FormatName kFormats[] = {
    // in the order of the values
    {TableFormat::kColumn, "column", "txt"},     {TableFormat::kTable, "table", "txt"},
    {TableFormat::kCsv, "csv", "csv"},           {TableFormat::kTsv, "tsv", "tsv"},
    {TableFormat::kJson, "json", "json"},        {TableFormat::kMarkdown, "markdown", "md"},
    {TableFormat::kHtmlTable, "htable", "html"}, {TableFormat::kHtmlDocument, "hdoc", "html"},
};

// Longest text in the formats for the eye, in characters.
constexpr std::size_t kTextLimit = 100;

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

std::size_t width(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return !continues_character(c); }));
}

std::string limited(const std::string& text, std::size_t limit) {
  if (width(text) <= limit) return text;
  std::size_t characters = 0;
  std::size_t at = 0;
  for (; at < text.size(); ++at)
    if (!continues_character(text[at]) && ++characters == limit) break;
  return text.substr(0, at) + "…";
}

// On one line, and without what a terminal would obey.
std::string visible(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (static_cast<unsigned char>(c) >= 0x20 && c != 0x7f)
      out += c;
    else if (c == '\n' || c == '\t')
      out += c == '\n' ? "\\n" : "\\t";
    else
      out += fmt::format("\\x{:02x}", c);
  }
  return out;
}

// A cell for the eye.
std::string shown(const Cell& cell, const ColumnSpec& column) {
  const std::string text = grouped_text(cell, column);
  return column.kind == CellKind::kText ? limited(visible(text), kTextLimit) : text;
}

std::string aligned(const std::string& text, std::size_t room, CellKind kind) {
  const std::string padding(room - std::min(room, width(text)), ' ');
  return kind == CellKind::kText ? text + padding : padding + text;
}

std::string centred(const std::string& text, std::size_t room) {
  const std::size_t padding = room - std::min(room, width(text));
  return std::string(padding / 2, ' ') + text + std::string(padding - padding / 2, ' ');
}

// Rows as they are shown, and how wide each column is.
struct Layout {
  std::vector<std::vector<std::string>> rows;
  std::vector<std::size_t> widths;

  explicit Layout(const Table& table) {
    for (const ColumnSpec& column : table.columns) widths.push_back(width(column.header));
    for (const auto& row : table.rows) {
      auto& cells = rows.emplace_back();
      for (std::size_t i = 0; i < row.size(); ++i) {
        cells.push_back(shown(row[i], table.columns[i]));
        widths[i] = std::max(widths[i], width(cells.back()));
      }
    }
  }
};

// Joins one line's cells: `left` cell `between` cell … `right`.
template <class CellText>
void add_line(std::string& out, std::size_t count, CellText cell, std::string_view left,
              std::string_view between, std::string_view right) {
  out += left;
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) out += between;
    out += cell(i);
  }
  out += right;
  out += '\n';
}

std::string as_columns(const Table& table) {
  const Layout layout(table);
  const std::size_t count = table.columns.size();
  std::string out;
  add_line(
      out, count, [&](auto i) { return centred(table.columns[i].header, layout.widths[i]); }, " ",
      "  ", "");
  add_line(
      out, count, [&](auto i) { return std::string(layout.widths[i], '-'); }, " ", "  ", "");
  for (const auto& row : layout.rows)
    add_line(
        out, count,
        [&](auto i) { return aligned(row[i], layout.widths[i], table.columns[i].kind); }, " ", "  ",
        "");
  return out + '\n';
}

std::string as_table(const Table& table) {
  const Layout layout(table);
  const std::size_t count = table.columns.size();
  std::string out;
  const auto rule = [&] {
    add_line(
        out, count, [&](auto i) { return std::string(layout.widths[i] + 2, '-'); }, "+", "+", "+");
  };
  rule();
  add_line(
      out, count, [&](auto i) { return centred(table.columns[i].header, layout.widths[i]); }, "| ",
      " | ", " |");
  rule();
  for (const auto& row : layout.rows)
    add_line(
        out, count,
        [&](auto i) { return aligned(row[i], layout.widths[i], table.columns[i].kind); }, "| ",
        " | ", " |");
  rule();
  return out + '\n';
}

std::string quoted(const std::string& text, char separator) {
  if (text.find_first_of(std::string("\"\r\n") + separator) == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + '"';
}

std::string as_separated(const Table& table, char separator) {
  std::string out;
  const std::string_view between(&separator, 1);
  const std::size_t count = table.columns.size();
  add_line(
      out, count, [&](auto i) { return quoted(table.columns[i].header, separator); }, "", between,
      "");
  for (const auto& row : table.rows)
    add_line(
        out, count, [&](auto i) { return quoted(plain_text(row[i], table.columns[i]), separator); },
        "", between, "");
  return out + '\n';
}

std::string json_text(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string json_value(const Cell& cell, const ColumnSpec& column) {
  if (std::holds_alternative<std::monostate>(cell)) return "null";
  if (const auto* real = std::get_if<double>(&cell); real != nullptr && !std::isfinite(*real))
    return "null";
  const std::string value = plain_text(cell, column);
  return column.kind == CellKind::kText ? json_text(value) : value;
}

std::string as_json(const Table& table) {
  std::string out = "[";
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    out += r == 0 ? "\n  {\n" : ",\n  {\n";
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      out += fmt::format("    {}: {}{}\n", json_text(table.columns[i].header),
                         json_value(table.rows[r][i], table.columns[i]),
                         i + 1 < table.columns.size() ? "," : "");
    }
    out += "  }";
  }
  return out + "\n]\n\n";
}

}  // namespace

std::optional<TableFormat> table_format(std::string_view name) {
  for (const FormatName& format : kFormats)
    if (name == format.name) return format.format;
  return std::nullopt;
}

std::string table_format_names() {
  std::string names;
  for (const FormatName& format : kFormats)
    names += std::string(names.empty() ? "" : ", ") + format.name;
  return names;
}

std::string_view extension(TableFormat format) {
  return kFormats[static_cast<std::size_t>(format)].extension;
}

std::string one_line(const std::string& text, std::size_t limit) {
  return limited(visible(plain_text(text, {"", CellKind::kText})), limit);
}

bool is_for_eye(TableFormat format) {
  return format == TableFormat::kColumn || format == TableFormat::kTable;
}

std::string heading(std::string_view title, std::string_view name, std::string_view note) {
  return fmt::format("\n ** {} ({}):\n\n{}{}", title, name, note, note.empty() ? "" : "\n\n");
}

std::string format_table(const Table& table, TableFormat format, std::string_view title,
                         std::string_view name, std::string_view note) {
  switch (format) {
    case TableFormat::kColumn:
      return heading(title, name, note) + as_columns(table);
    case TableFormat::kTable:
      return heading(title, name, note) + as_table(table);
    case TableFormat::kCsv:
      return as_separated(table, ',');
    case TableFormat::kTsv:
      return as_separated(table, '\t');
    case TableFormat::kJson:
      return as_json(table);
    case TableFormat::kMarkdown:
      return as_markdown(table, title, name, note);
    case TableFormat::kHtmlTable:
      return as_html_table(table);
    case TableFormat::kHtmlDocument:
      return as_html_document(table, title, name, note);
  }
  return {};
}

}  // namespace prof::stats
