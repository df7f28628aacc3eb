// Says which tables and named views a report has, with the units and meanings of their columns.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"

namespace prof::query {

struct ColumnInfo {
  std::string name;
  std::string unit;     // "ns", "B", …; empty: none, or not known
  std::string meaning;  // empty: not known
};

// Return names; named views come first.
std::vector<std::string> table_names(const report::ReportReader& reader);
std::vector<std::string> column_names(const report::ReportReader& reader, const std::string& table);

std::vector<ColumnInfo> table_columns(const report::ReportReader& reader, const std::string& table);
std::string column_unit(const report::ReportReader& reader, const std::string& table,
                        const std::string& column);

// Returns all tables with rows and their columns, in at most `bytes` bytes. What has no room is
// named at the end, without columns.
base::Result<std::string> schema_text(const report::ReportReader& reader, std::size_t bytes);
// Returns one table with what its columns mean, also in at most `bytes` bytes. Fails if there is no
// such table.
base::Result<std::string> table_text(const report::ReportReader& reader, const std::string& table,
                                     std::size_t bytes);

inline constexpr std::size_t kSchemaBytes = 6'000;  // 1,500 tokens of 4 bytes

}  // namespace prof::query
