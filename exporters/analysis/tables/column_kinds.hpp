// Finds the kinds of columns whose values come from somewhere else, such as SQL of the user.
#pragma once

#include "exporters/analysis/tables/table.hpp"

namespace prof::tables {

// Sets the kind of each column: text if one of its values is text, else real if one of its values
// is real, else integer. A column without values is text. Integers in a real column become real.
void settle_kinds(Table& table, int decimals);

}  // namespace prof::tables
