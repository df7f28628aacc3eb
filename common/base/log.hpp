// Prints messages to the user while prof works, one line each on stderr. Only log.cpp includes the
// logging library, because its headers take long to compile.
#pragma once

#include <fmt/format.h>

#include <string_view>

namespace prof::base {

enum class LogLevel { kDebug, kWarning, kError };

// `level`: the lowest level that is written, by the library's names ("debug", "off", ...). Null
// means "warning".
void set_up_log(const char* level);

bool logs(LogLevel level);
void log_line(LogLevel level, std::string_view text);

template <class... Values>
void log(LogLevel level, fmt::format_string<Values...> text, Values&&... values) {
  if (logs(level)) log_line(level, fmt::format(text, std::forward<Values>(values)...));
}
template <class... Values>
void log_debug(fmt::format_string<Values...> text, Values&&... values) {
  log(LogLevel::kDebug, text, std::forward<Values>(values)...);
}
template <class... Values>
void log_warning(fmt::format_string<Values...> text, Values&&... values) {
  log(LogLevel::kWarning, text, std::forward<Values>(values)...);
}
template <class... Values>
void log_error(fmt::format_string<Values...> text, Values&&... values) {
  log(LogLevel::kError, text, std::forward<Values>(values)...);
}

}  // namespace prof::base
