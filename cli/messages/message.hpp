// Messages for the user, on stderr. An error while writing them is ignored.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <string>

#include "common/base/text/printable.hpp"

namespace prof::cli {

template <class... T>
void print_message(fmt::format_string<T...> text, T&&... values) {
  const std::string shown = base::printable_lines(fmt::format(text, std::forward<T>(values)...));
  static_cast<void>(std::fputs(shown.c_str(), stderr));
}

}  // namespace prof::cli
