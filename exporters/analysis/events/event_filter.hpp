// Filters of events: --filter-time, --filter-nvtx, --process and --thread.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/event_filter.hpp"
#include "common/report/report_reader.hpp"

namespace prof::events {

using report::EventFilter;

// True if the filter selects events of the thread.
bool selects(const EventFilter& filter, std::int64_t global_tid);

// Parses "[START]/[END]". START and END are numbers with the unit ns, us, ms or s; without a unit
// they are in ns.
base::Result<EventFilter> parse_time_filter(std::string_view text);

// Parses "RANGE[@DOMAIN][/INDEX]". The filter selects the time window and the process of one
// occurrence of the range: number INDEX, counted from 0 (the default). Without @DOMAIN the range is
// in the default domain; @* matches any domain.
base::Result<EventFilter> find_nvtx_filter(const report::ReportReader& reader,
                                           std::string_view text);

// An occurrence of an NVTX range. Times in ns.
struct RangeTime {
  std::int64_t start;
  std::int64_t end;
  std::int64_t global_tid;
};

// Finds all occurrences of "RANGE[@DOMAIN]" in the order of time, or only number INDEX if the text
// ends with "/INDEX". Fails if there is none.
base::Result<std::vector<RangeTime>> find_nvtx_ranges(const report::ReportReader& reader,
                                                      std::string_view text);

// Returns a filter for the events that both filters select.
EventFilter both(const EventFilter& a, const EventFilter& b);

}  // namespace prof::events
