// Finds names by a part of them, or by a regular expression.
#pragma once

#include <string_view>

#include "exporters/viewer/answers/outcome.hpp"
#include "exporters/viewer/timeline/snapshot.hpp"

namespace prof::view {

// Finds names. `query` is a part of the name, ignoring the case of ASCII letters, or /EXPRESSION/,
// an extended regular expression of POSIX as in `grep -E -i`. Fails with 400 if the expression is
// wrong.
Outcome<timeline::NameSet> find_names(const timeline::Names& names, std::string_view query);

}  // namespace prof::view
