// Rows of the tables of call chains.
#pragma once

#include <cstdint>
#include <string>

#include "collector/report/report_reader.hpp"
#include "collector/report/table_scan.hpp"
#include "exporters/events/code_frames.hpp"

namespace prof::events {

// What to read of such a table, with NULL for what it lacks; then of each row:
std::string chain_columns(const report::ReportReader& reader, const char* table);

inline std::int64_t chain_id(const report::Row& row) { return row.integer(0); }
inline std::int64_t chain_depth(const report::Row& row) { return row.integer(1); }
ChainRow chain_row(const report::Row& row);

}  // namespace prof::events
