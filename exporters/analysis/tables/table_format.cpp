#include "exporters/analysis/tables/table_format.hpp"

#include <fmt/format.h>

#include "exporters/analysis/tables/table_data.hpp"
#include "exporters/analysis/tables/table_layout.hpp"
#include "exporters/analysis/tables/table_markup.hpp"

namespace prof::tables {

namespace {

struct FormatName {
  TableFormat format;
  const char* name;
  const char* extension;
  const char* summary;
  const char* details;
};
constexpr FormatName kFormats[] = {
    // in the order of the enum
    {TableFormat::kColumn, "column", "txt", "Aligned columns, for people",
     "Headings above a line of dashes. Digits are in groups of three. Texts are cut at 100\n"
     "characters, and control characters are escaped. On a terminal, units and widths suit it."},
    {TableFormat::kTable, "table", "txt", "The same with a frame around each cell",
     "As column, with lines of - + and | between cells."},
    {TableFormat::kCsv, "csv", "csv", "Comma-separated values",
     "One line of headings. Texts with commas, quotes or line breaks are quoted. Numbers are not\n"
     "grouped or cut. Ends with an empty line, so several tables can be told apart."},
    {TableFormat::kTsv, "tsv", "tsv", "Tab-separated values", "As csv, with tabs."},
    {TableFormat::kJson, "json", "json", "List of JSON objects",
     "One object for each row, with the headings as keys. Numbers are numbers; empty cells are\n"
     "null."},
    {TableFormat::kMarkdown, "markdown", "md", "Markdown table", "A heading and a pipe table."},
    {TableFormat::kHtmlTable, "htable", "html", "HTML table", "Only the table element."},
    {TableFormat::kHtmlDocument, "hdoc", "html", "HTML page with the table",
     "A whole page, which needs no other file."},
};

std::string line_of(const FormatName& format) {
  return fmt::format("  {:<9} {}\n", format.name, format.summary);
}

std::string paragraph_of(const FormatName& format) {
  return fmt::format("{}: {}\n\n{}\nFiles end with .{}.\n", format.name, format.summary,
                     format.details, format.extension);
}

}  // namespace

std::optional<TableFormat> table_format(std::string_view name) {
  for (const FormatName& format : kFormats)
    if (name == format.name) return format.format;
  return std::nullopt;
}

std::vector<std::string> table_format_words() {
  std::vector<std::string> words;
  for (const FormatName& format : kFormats) words.emplace_back(format.name);
  return words;
}

std::string table_format_names() {
  std::string names;
  for (const FormatName& format : kFormats)
    names += std::string(names.empty() ? "" : ", ") + format.name;
  return names;
}

std::optional<std::string> format_help(std::string_view name) {
  std::string text;
  for (const FormatName& format : kFormats) {
    if (name.empty()) text += line_of(format);
    if (name == "all") text += (text.empty() ? "" : "\n") + paragraph_of(format);
    if (name == format.name) return paragraph_of(format);
  }
  return text.empty() ? std::nullopt : std::optional(text);
}

std::string_view extension(TableFormat format) {
  return kFormats[static_cast<std::size_t>(format)].extension;
}

bool has_heading(TableFormat format) {
  return format == TableFormat::kColumn || format == TableFormat::kTable;
}

std::string heading(std::string_view title, std::string_view name, std::string_view note) {
  return fmt::format("\n ** {} ({}):\n\n{}{}", title, name, note, note.empty() ? "" : "\n\n");
}

void write_table(const Table& table, TableFormat format, std::string_view title,
                 std::string_view name, std::string_view note, const Write& write) {
  TextSink out(write);
  if (has_heading(format)) out += heading(title, name, note);
  switch (format) {
    case TableFormat::kColumn:
      add_column_layout(out, table);
      break;
    case TableFormat::kTable:
      add_table_layout(out, table);
      break;
    case TableFormat::kCsv:
      add_separated(out, table, ',');
      break;
    case TableFormat::kTsv:
      add_separated(out, table, '\t');
      break;
    case TableFormat::kJson:
      add_json(out, table);
      break;
    case TableFormat::kMarkdown:
      add_markdown(out, table, title, name, note);
      break;
    case TableFormat::kHtmlTable:
      add_html_table(out, table);
      break;
    case TableFormat::kHtmlDocument:
      add_html_document(out, table, title, name, note);
      break;
  }
  out.flush();
}

std::string format_table(const Table& table, TableFormat format, std::string_view title,
                         std::string_view name, std::string_view note) {
  std::string text;
  write_table(table, format, title, name, note, [&](std::string_view piece) { text += piece; });
  return text;
}

}  // namespace prof::tables
