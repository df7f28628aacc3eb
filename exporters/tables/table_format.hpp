// Prints a statistics table the way `nsys stats --format` does.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "exporters/tables/table.hpp"
#include "exporters/tables/text_sink.hpp"

namespace prof::tables {

enum class TableFormat { kColumn, kTable, kCsv, kTsv, kJson, kMarkdown, kHtmlTable, kHtmlDocument };

// Names as in --format; null for an unknown one.
std::optional<TableFormat> table_format(std::string_view name);
std::string table_format_names();                // of all, for messages
bool is_for_eye(TableFormat format);             // column and table: they have a heading
std::string_view extension(TableFormat format);  // of an output file, without the dot

// What stands above a table in the formats for the eye; a note may follow the title.
std::string heading(std::string_view title, std::string_view name, std::string_view note = {});

// On one line, without what a terminal would obey, cut off at so many characters.
std::string one_line(std::string_view text, std::size_t most);

// Writes the whole output of one report, with the blank line that ends it, in pieces.
void write_table(const Table& table, TableFormat format, std::string_view title,
                 std::string_view name, std::string_view note, const Write& write);
// The same as one text.
std::string format_table(const Table& table, TableFormat format, std::string_view title,
                         std::string_view name, std::string_view note = {});

}  // namespace prof::tables
