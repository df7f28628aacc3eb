#include "exporters/analysis/tables/table_markup.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "common/base/text/printable.hpp"
#include "exporters/analysis/tables/cell_text.hpp"

namespace prof::tables {

namespace {

bool is_number(const ColumnSpec& column) { return column.kind != CellKind::kText; }

std::string escaped_markdown(const std::string& text) {
  std::string out;
  for (std::string_view rest = text; !rest.empty();) {
    const auto [bytes, is_printable] = base::first_character(rest);
    // Kernel names contain angle brackets and asterisks.
    if (std::string_view("\\|*_`<>[]").find(bytes) != std::string_view::npos) out += '\\';
    out += is_printable ? bytes : " ";
    rest.remove_prefix(bytes.size());
  }
  return out;
}

// Keeps the note's line breaks.
std::string escaped_note(std::string_view note) {
  std::string out;
  while (!note.empty()) {
    const std::size_t end = std::min(note.find('\n'), note.size());
    out += escaped_markdown(std::string(note.substr(0, end)));
    if (end < note.size()) out += '\n';
    note.remove_prefix(std::min(end + 1, note.size()));
  }
  return out;
}

void add_html_row(TextSink& out, const Table& table, const std::vector<Cell>& row) {
  out += "    <tr>";
  std::string text;
  for (std::size_t i = 0; i < row.size(); ++i) {
    const ColumnSpec& column = table.columns[i];
    text.clear();
    add_grouped_text(text, row[i], column);
    out += is_number(column) ? "<td style=\"text-align: right\">" : "<td>";
    out += escaped_html(text);
    out += "</td>";
  }
  out += "</tr>\n";
}

}  // namespace

std::string escaped_html(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

void add_markdown(TextSink& out, const Table& table, std::string_view title, std::string_view name,
                  std::string_view note) {
  std::string head = "|";
  std::string rule = "|";
  for (const ColumnSpec& column : table.columns) {
    head += ' ' + escaped_markdown(column.header) + " |";
    rule += is_number(column) ? "---:|" : ":---|";
  }
  out += fmt::format("## {} ({})\n\n{}{}{}\n{}\n", escaped_markdown(std::string(title)),
                     escaped_markdown(std::string(name)), escaped_note(note),
                     note.empty() ? "" : "\n\n", head, rule);
  std::string text;
  for (const auto& row : table.rows) {
    out += "|";
    for (std::size_t i = 0; i < row.size(); ++i) {
      text.clear();
      add_grouped_text(text, row[i], table.columns[i]);
      out += ' ' + escaped_markdown(text) + " |";
    }
    out += "\n";
  }
  out += "\n";
}

void add_html_table(TextSink& out, const Table& table) {
  out += "<table>\n  <thead>\n    <tr>";
  for (const ColumnSpec& column : table.columns)
    out += fmt::format("<th>{}</th>", escaped_html(column.header));
  out += "</tr>\n  </thead>\n  <tbody>\n";
  for (const auto& row : table.rows) add_html_row(out, table, row);
  out += "  </tbody>\n</table>\n";
}

void add_html_document(TextSink& out, const Table& table, std::string_view title,
                       std::string_view name, std::string_view note) {
  out += fmt::format(R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>{0} ({1})</title>
<style>
body {{ font-family: sans-serif; }}
p {{ white-space: pre-line; }}
table {{ border-collapse: collapse; }}
th, td {{ border: 1px solid #ccc; padding: 0.2em 0.6em; }}
tbody tr:nth-child(even) {{ background: #f4f4f4; }}
</style>
</head>
<body>
<h1>{0} ({1})</h1>
{2})",
                     escaped_html(title), escaped_html(name),
                     note.empty() ? "" : "<p>" + escaped_html(note) + "</p>\n");
  add_html_table(out, table);
  out += "</body>\n</html>\n";
}

}  // namespace prof::tables
