// Reads from the parameters `report`, `from`, `to` and `row` which part of which report a request
// is about.
#pragma once

#include <optional>

#include "exporters/analysis/events/event_filter.hpp"
#include "exporters/viewer/answers/answers.hpp"
#include "exporters/viewer/timeline/snapshot.hpp"

namespace prof::view {

struct ReportScope {
  std::size_t index = 0;       // index of the report
  timeline::Span span;         // in the report's own time
  events::EventFilter filter;  // selects the span, and the row's process or thread
};

// Reads the scope. If there is a row, it determines the report. Otherwise it is `report`, or the
// first one.
Outcome<ReportScope> report_scope(const Sources& sources, const Parameters& parameters);

// Returns a reader whose views show the events that the filter selects.
Outcome<report::ReportReader> filtered_reader(const ServedReport& report,
                                              const events::EventFilter& filter);

// Returns the remarks about how a report was read that prof prints on stderr, such as invalid
// events.
std::string reading_notes(const report::ReportReader& reader);

}  // namespace prof::view
