// Explains to users why SQLite refuses their statement.
#pragma once

#include <string>

#include "common/report/report_reader.hpp"
#include "exporters/analysis/query/query.hpp"

namespace prof::query {

// Returns SQLite's message as a sentence that says what to do: the nearest table, column or
// function, and the columns of the tables in the statement.
std::string explain(const report::ReportReader& reader, const Request& request,
                    const std::string& message);

}  // namespace prof::query
