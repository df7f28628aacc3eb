// What is known about the terminal that prof prints to.
#pragma once

#include <cstddef>

namespace prof::cli {

bool is_terminal(int descriptor);

// Characters in a line: of the terminal, or of the variable COLUMNS, or 120.
std::size_t terminal_width(int descriptor);

// False if the variable NO_COLOR is set (see no-color.org), or the terminal is a dumb one.
bool allows_colour();

}  // namespace prof::cli
