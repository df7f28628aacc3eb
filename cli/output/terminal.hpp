// Properties of the terminal that prof prints to.
#pragma once

#include <cstddef>

namespace prof::cli {

bool is_terminal(int descriptor);

// Returns the number of characters in a line: of the terminal, else from the variable COLUMNS, else
// 120.
std::size_t terminal_width(int descriptor);

// Returns false if the variable NO_COLOR is set (see no-color.org), or if the terminal has no
// colors (TERM=dumb).
bool allows_color();

}  // namespace prof::cli
