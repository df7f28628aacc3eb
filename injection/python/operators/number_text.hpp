// Writes numbers as Python does, without libc, whose functions depend on the locale.
#pragma once

#include <cstdint>

#include "injection/core/text.hpp"

namespace prof::python {

void add_integer(core::Text& text, std::int64_t number);
// `bits` are those of a double. Writes nine digits: "0.5", "1e-05", "-inf".
void add_number(core::Text& text, std::uint64_t bits);

}  // namespace prof::python
