// Messages for the user, on stderr. An error while writing them is ignored.
#pragma once

#include <fmt/format.h>

#include <cstdio>

namespace prof::cli {

template <class... T>
void print_message(fmt::format_string<T...> text, T&&... values) {
  static_cast<void>(std::fputs(fmt::format(text, std::forward<T>(values)...).c_str(), stderr));
}

}  // namespace prof::cli
