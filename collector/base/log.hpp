// What prof tells its user while it works, a line each on stderr. The logging library is included
// in one file only: its headers take a compiler longer than most of our files.
#pragma once

#include <fmt/format.h>

#include <string_view>

namespace prof::base {

enum class LogLevel { kDebug, kWarning, kError };

// `level` is the lowest that is written, by the library's names ("debug", "off", ...); null:
// "warning".
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
