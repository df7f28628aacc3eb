// Numbers of events that claims are about.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/claims/claim.hpp"
#include "exporters/analysis/facts/missing.hpp"

namespace prof::claims {

struct Measured {
  std::optional<double> value;  // empty: no event has the name, so there is no such number
  std::string sql;
  std::optional<analyze::EvidenceRows> rows = {};  // the longest events
};

// Returns what the report lacks to have events of this kind.
std::optional<facts::Missing> missing_events(const report::ReportReader& reader,
                                             const Events& events);

// Returns what the report lacks if calls that it has none of may be of an API that was not
// recorded.
std::optional<facts::Missing> missing_calls(const report::ReportReader& reader,
                                            const Events& events);

// Measures "total", "count" and others of the events. `span` is the time that a share refers to, in
// ns.
base::Result<Measured> measure(const report::ReportReader& reader, const Events& events,
                               const std::string& number, std::int64_t span);

struct NamedEvent {
  std::string_view name;
  std::int64_t duration;  // ns
  std::int64_t bytes;     // of a copy
};
// Calls `use` with each such event that has ended.
base::Status for_each_event(const report::ReportReader& reader, const Events& events,
                            const std::function<void(const NamedEvent&)>& use);

// Returns the duration of the session in ns.
base::Result<Measured> session_duration(const report::ReportReader& reader);

// Returns the start of the first such event, in ns.
base::Result<Measured> first_start(const report::ReportReader& reader, const Events& events);

}  // namespace prof::claims
