// Puts ranks that do the same at the same times beside each other.
#pragma once

#include <cstddef>
#include <vector>

namespace prof::view {

// Returns the numbers of the rows in an order in which similar ones are beside each other. The rows
// are divided in two along the direction in which they differ most, and so on until they are alike.
// Of two parts the smaller comes first, so the unusual rows do. Rows that are alike keep their
// order. All rows have the same number of values, of 0 to 1.
std::vector<std::size_t> order_of_similar(const std::vector<std::vector<float>>& rows);

}  // namespace prof::view
