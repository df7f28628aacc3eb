// Prints a table like `nsys stats --format` does.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "exporters/analysis/tables/table.hpp"
#include "exporters/analysis/tables/text_sink.hpp"

namespace prof::tables {

enum class TableFormat { kColumn, kTable, kCsv, kTsv, kJson, kMarkdown, kHtmlTable, kHtmlDocument };

// Returns the format with this name in --format.
std::optional<TableFormat> table_format(std::string_view name);
std::vector<std::string> table_format_words();  // all names
std::string table_format_names();               // all names, as a text for messages
bool has_heading(TableFormat format);           // true for column and table
// Explains a format. An empty name explains all formats in one line each, "all" explains them with
// details. Returns nothing if no format has the name.
std::optional<std::string> format_help(std::string_view name);
std::string_view extension(TableFormat format);  // extension of an output file, without the dot

// Returns the heading above a table in the formats column and table. The note may be empty.
std::string heading(std::string_view title, std::string_view name, std::string_view note = {});

// Writes a table and the blank line after it, piece by piece.
void write_table(const Table& table, TableFormat format, std::string_view title,
                 std::string_view name, std::string_view note, const Write& write);
// Returns the same output as one text.
std::string format_table(const Table& table, TableFormat format, std::string_view title,
                         std::string_view name, std::string_view note = {});

}  // namespace prof::tables
