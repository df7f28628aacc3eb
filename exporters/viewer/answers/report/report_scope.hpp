// Which report, span and row a request is about: `report`, `from`, `to` and `row`.
#pragma once

#include <optional>

#include "exporters/analysis/events/event_filter.hpp"
#include "exporters/viewer/answers/answers.hpp"
#include "exporters/viewer/timeline/snapshot.hpp"

namespace prof::view {

struct ReportScope {
  std::size_t index = 0;       // of the report
  timeline::Span span;         // in the report's own time
  events::EventFilter filter;  // of the span, and of the row's process or thread
};

// The row decides about the report. Without a row it is `report`, or the first one.
Outcome<ReportScope> report_scope(const Sources& sources, const Parameters& parameters);

// A reader with views that show what the filter selects.
Outcome<report::ReportReader> filtered_reader(const ServedReport& report,
                                              const events::EventFilter& filter);

// What prof says on stderr about how a report was read: invalid events and other remarks.
std::string reading_notes(const report::ReportReader& reader);

}  // namespace prof::view
