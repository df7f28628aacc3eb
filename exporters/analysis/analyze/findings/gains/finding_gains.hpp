// What mending the findings of a report would save, as a replay of it predicts.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "common/report/report_reader.hpp"
#include "exporters/analysis/analyze/findings/finding.hpp"
#include "exporters/analysis/events/event_filter.hpp"
#include "exporters/analysis/replay/gains.hpp"

namespace prof::analyze {

// Adds gains to the findings about GPUs, sorts them by what they save, and adds the sentence about
// the best change. `events` is the filter that the views of `reader` apply; they apply it again
// afterwards. Of a report that is too large, or that cannot be replayed, the sentence says so.
void add_gains(const report::ReportReader& reader, const Facts& facts,
               const events::EventFilter& events, Diagnosis& diagnosis);

// Replays a report if it is small enough, and if the replay without a change takes as long as the
// program did. Otherwise `why` says why not.
struct ReplayedReport {
  std::optional<replay::ReportGains> gains = {};
  std::string why = {};
};
ReplayedReport replay_report(const report::ReportReader& reader);

// A replay takes about 400 bytes for each call and operation. Larger reports have no gains.
inline constexpr std::size_t kMostReplayedEvents = 1'000'000;
// Returns the number of rows of calls that a replay reads, without CUDA calls.
std::size_t host_calls_of(const report::ReportReader& reader);

// Returns "98.0 of 1,130 ms (8.6 %)".
std::string saved_text(const replay::Prediction& prediction);

}  // namespace prof::analyze
