// What mending the findings of a report would save, as a replay of it predicts.
#pragma once

#include "common/report/report_reader.hpp"
#include "exporters/analysis/analyze/findings/finding.hpp"
#include "exporters/analysis/events/event_filter.hpp"

namespace prof::analyze {

// Adds gains to the findings about GPUs, sorts them by what they save, and adds the sentence about
// the best change. `events` is the filter that the views of `reader` apply; they apply it again
// afterwards. Of a report that is too large, or that cannot be replayed, the sentence says so.
void add_gains(const report::ReportReader& reader, const Facts& facts,
               const events::EventFilter& events, Diagnosis& diagnosis);

}  // namespace prof::analyze
