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

// Returns the CREATE TABLE statement of a table; empty if there is no such table.
std::string_view table_sql(std::string_view table);

// Returns the statement that creates the view SAMPLING_CALLCHAINS. A report of prof has this view
// in place of nsys's table, with the same rows: PROF_SAMPLE_CHAINS has each call chain once.
std::string_view sample_call_chain_view();

// Returns the type of a column in nsys's Arrow files, as a format of the Arrow C data interface; 0
// if those files do not have the column.
char arrow_format(std::string_view table, std::string_view column);

// Returns the names of all tables that have a CREATE TABLE statement.
std::vector<std::string_view> table_names();

// Returns an SQLite file with the ENUM tables (schema/enums.tsv) and the tables of most reports.
std::string_view empty_report();
// Returns the same file with small pages: it has half as many bytes, and is a tenth slower to fill
// with millions of rows.
std::string_view small_report();
// True if every report has this table, and so the empty report, too.
bool is_in_all_reports(std::string_view table);
// Returns the tables that the empty report has, and that are removed from a report without rows for
// them.
std::vector<std::string_view> tables_of_most_reports();

}  // namespace prof::report
