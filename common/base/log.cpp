#include "common/base/log.hpp"

#include <spdlog/cfg/helpers.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include "common/base/text/printable.hpp"

namespace prof::base {
namespace {

spdlog::level::level_enum level_of(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return spdlog::level::debug;
    case LogLevel::kWarning:
      return spdlog::level::warn;
    case LogLevel::kError:
      break;
  }
  return spdlog::level::err;
}

}  // namespace

void set_up_log(const char* level) {
  spdlog::set_default_logger(spdlog::stderr_logger_st("prof"));
  spdlog::set_pattern("prof: %v");
  spdlog::set_level(level != nullptr ? spdlog::level::from_str(level) : spdlog::level::warn);
}

bool logs(LogLevel level) { return spdlog::should_log(level_of(level)); }

void log_line(LogLevel level, std::string_view text) {
  spdlog::log(level_of(level), printable_lines(text));
}

}  // namespace prof::base
