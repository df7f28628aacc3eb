// The types that columns of a report have in nsys's exports. SQLite has fewer types.
#pragma once

#include <string_view>

#include "exporters/arrow/column.hpp"

namespace prof::arrow {

// Returns the type of a column that SQLite declares as `declared` ("INTEGER", "TEXT", …). A column
// that nsys's exports are not known to have has 64 bits.
ColumnType column_type(std::string_view table, std::string_view column, std::string_view declared);

}  // namespace prof::arrow
