// --filter-time and --filter-nvtx: which events the reports see.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "collector/base/result.hpp"
#include "collector/report/report_reader.hpp"

namespace prof::events {

// Events that overlap the window, of one process or of all. Nanoseconds of the report.
struct EventFilter {
  std::int64_t start = std::numeric_limits<std::int64_t>::min();
  std::int64_t end = std::numeric_limits<std::int64_t>::max();
  std::optional<std::int64_t> process;  // process_of() its ids
  bool operator==(const EventFilter&) const = default;
};

// "[START]/[END]", each a number with ns (or nothing), us, ms or s.
base::Result<EventFilter> parse_time_filter(std::string_view text);

// "RANGE[@DOMAIN][/INDEX]": the window and the process of the range's INDEXth occurrence, from 0,
// which is the default. Without a domain: of the default domain; @* is any.
base::Result<EventFilter> find_nvtx_filter(const report::ReportReader& reader,
                                           std::string_view text);

// What is in both.
EventFilter both(const EventFilter& a, const EventFilter& b);

}  // namespace prof::events
