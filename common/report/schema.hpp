// The report's schema: nsys's names of tables and columns, version 3.20 (docs/schema.md). The build
// embeds the statements in schema/.
#pragma once

#include <string_view>
#include <vector>

namespace prof::report {

inline constexpr std::string_view kSchemaVersion = "3.20.3";
inline constexpr int kSchemaMajor = 3;
inline constexpr int kSchemaMinor = 20;
inline constexpr int kSchemaMicro = 3;

// The CREATE TABLE statement of a table; empty if there is no such table.
std::string_view table_sql(std::string_view table);

// The type that nsys's Arrow files give a column, as a format of the Arrow C data interface; 0: they
// do not have the column.
char arrow_format(std::string_view table, std::string_view column);

// The names of all tables with such a statement.
std::vector<std::string_view> table_names();

// An SQLite file with the ENUM tables (schema/enums.tsv) and with the tables of most reports.
std::string_view empty_report();
// The same with small pages: half as many bytes, and a tenth slower to fill with millions of rows.
std::string_view small_report();
// Does the empty report have this table, and every report too?
bool is_in_all_reports(std::string_view table);
// Tables that the empty report has, and that a report without rows for them does not have.
std::vector<std::string_view> tables_of_most_reports();

}  // namespace prof::report
