// Describes reports of --max-overhead, in which an event stands for `weight` events.
#pragma once

#include <string>
#include <string_view>

#include "common/report/report_reader.hpp"

namespace prof::events {

inline constexpr const char* kThinningTable = "PROF_THINNING";

inline bool has_weights(const report::ReportReader& reader, std::string_view table) {
  return reader.has_column(table, "weight");
}

// Returns one sentence on how much was left out: "--max-overhead 1 %: 93 % of 5,000,000 OS-runtime
// calls …". Empty if the option was not used.
std::string thinning_summary(const report::ReportReader& reader);

}  // namespace prof::events
