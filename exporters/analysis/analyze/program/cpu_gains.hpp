// What mending the findings of a program without GPU work would save.
#pragma once

#include "common/report/report_reader.hpp"
#include "exporters/analysis/analyze/findings/finding.hpp"
#include "exporters/analysis/analyze/program/cpu_facts.hpp"
#include "exporters/analysis/events/event_filter.hpp"

namespace prof::analyze {

// Adds gains to the findings about calls and functions, and sorts them by what they save. `events`
// is the filter that the views of `reader` apply; they apply it again afterwards. Of a report that
// is too large, or whose replay does not cover the program's time, a sentence says so.
void add_cpu_gains(const report::ReportReader& reader, const CpuFacts& facts,
                   const events::EventFilter& events, Diagnosis& diagnosis);

}  // namespace prof::analyze
