// Streams a table of results, such as statistics and findings.
#pragma once

#include <memory>
#include <string>

#include "exporters/analysis/tables/table.hpp"
#include "exporters/arrow/table_rows.hpp"

namespace prof::arrow {

// Returns the rows. `name` is the value of table_name in the schema, `title` that of table_desc,
// which may be empty.
std::unique_ptr<RowSource> result_rows(tables::Table table, const std::string& name,
                                       const std::string& title);

}  // namespace prof::arrow
