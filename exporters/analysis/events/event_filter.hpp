// --filter-time, --filter-nvtx, --process and --thread: which events are read.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/event_filter.hpp"
#include "common/report/report_reader.hpp"

namespace prof::events {

using report::EventFilter;

// Whether the filter selects events of the thread.
bool selects(const EventFilter& filter, std::int64_t global_tid);

// Parses "[START]/[END]", each a number with ns (or nothing), us, ms or s.
base::Result<EventFilter> parse_time_filter(std::string_view text);

// Parses "RANGE[@DOMAIN][/INDEX]". The filter is the window and the process of the range's
// occurrence INDEX, counted from 0 (the default). Without @DOMAIN the range is in the default
// domain; @* matches any domain.
base::Result<EventFilter> find_nvtx_filter(const report::ReportReader& reader,
                                           std::string_view text);

// An occurrence of an NVTX range. Times in ns.
struct RangeTime {
  std::int64_t start;
  std::int64_t end;
  std::int64_t global_tid;
};

// All occurrences of "RANGE[@DOMAIN]" in the order of time, or the one with INDEX, as above. There
// is at least one.
base::Result<std::vector<RangeTime>> find_nvtx_ranges(const report::ReportReader& reader,
                                                      std::string_view text);

// Selects the events that both filters select.
EventFilter both(const EventFilter& a, const EventFilter& b);

}  // namespace prof::events
