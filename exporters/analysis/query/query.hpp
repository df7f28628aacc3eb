// Runs one SQL statement of the user on a report and keeps a bounded part of its rows.
#pragma once

#include <chrono>
#include <cstddef>
#include <stop_token>
#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/tables/table.hpp"

namespace prof::query {

struct Request {
  std::string sql;
  std::size_t rows = 100;      // at most
  std::size_t bytes = 40'000;  // of all values, at most
  std::chrono::milliseconds time = std::chrono::seconds(5);
  std::size_t skipped = 0;    // rows before the first one of the result
  std::stop_token stop = {};  // ends the query before its time
};

// Why rows or parts of values are missing.
enum class Cut { kNothing, kRows, kBudget, kTime, kValue };
const char* name_of(Cut cut);  // a word for JSON

struct QueryResult {
  tables::Table table;
  std::vector<std::string> units;  // of the columns; empty: none, or not known
  Cut cut = Cut::kNothing;
  double milliseconds = 0;
};

// Runs the statement in a sandbox. The named views have to be made before. Errors are sentences
// for the user, with the nearest name for an unknown one.
base::Result<QueryResult> run_query(const report::ReportReader& reader, const Request& request);

// Returns the result as one JSON object (docs/agents.md). Characters that cannot be seen are
// escaped.
std::string query_json(const QueryResult& result);

}  // namespace prof::query
