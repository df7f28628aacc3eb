// The diagnosis of a report: of its GPU work or, if it has none, of what its program does on CPUs.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/analyze/findings/finding.hpp"
#include "exporters/analysis/events/call_chains/code_lines.hpp"
#include "exporters/analysis/events/event_filter.hpp"

namespace prof::analyze {

// Looks up the source lines of native code; null: there are none. Takes time, so it is called only
// if the findings show them.
using FindLines = std::function<std::shared_ptr<const events::CodeLines>()>;

// `events`: the filter that the user asked for. The views have it.
base::Result<Diagnosis> diagnose_report(const report::ReportReader& reader,
                                        const events::EventFilter& events,
                                        const FindLines& find_lines,
                                        const SeeWhole& see_whole = {});

// All findings that there can be: first those about GPUs, then those about CPUs.
std::vector<const char*> finding_names();

}  // namespace prof::analyze
