// The path of a recording: beside its report, under the report's name with ".spool".
#pragma once

#include <optional>
#include <string>

namespace prof::spool {

inline constexpr const char kSpoolSuffix[] = ".spool";

inline std::string spool_path(const std::string& report) { return report + kSpoolSuffix; }

// Returns the name of the report, or nothing if the recording has another kind of name.
inline std::optional<std::string> report_path(const std::string& spool) {
  constexpr std::size_t kLength = sizeof kSpoolSuffix - 1;
  if (!spool.ends_with(kSpoolSuffix)) return std::nullopt;
  return spool.substr(0, spool.size() - kLength);
}

}  // namespace prof::spool
