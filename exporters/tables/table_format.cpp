#include "exporters/tables/table_format.hpp"

#include <fmt/format.h>

#include "exporters/tables/table_data.hpp"
#include "exporters/tables/table_layout.hpp"
#include "exporters/tables/table_markup.hpp"

namespace prof::tables {

namespace {

struct FormatName {
  TableFormat format;
  const char* name;
  const char* extension;
};
constexpr FormatName kFormats[] = {
    // by value of the enum
    {TableFormat::kColumn, "column", "txt"},     {TableFormat::kTable, "table", "txt"},
    {TableFormat::kCsv, "csv", "csv"},           {TableFormat::kTsv, "tsv", "tsv"},
    {TableFormat::kJson, "json", "json"},        {TableFormat::kMarkdown, "markdown", "md"},
    {TableFormat::kHtmlTable, "htable", "html"}, {TableFormat::kHtmlDocument, "hdoc", "html"},
};

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
