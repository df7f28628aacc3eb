// A table of results as rows of a stream: statistics, findings.
#pragma once

#include <memory>
#include <string>

#include "exporters/analysis/tables/table.hpp"
#include "exporters/arrow/table_rows.hpp"

namespace prof::arrow {

// `name`: the value of table_name in the schema. `title`: of table_desc; may be empty.
std::unique_ptr<RowSource> result_rows(tables::Table table, const std::string& name,
                                       const std::string& title);

}  // namespace prof::arrow
