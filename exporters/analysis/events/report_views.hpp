// Makes temporary views that statistics read instead of the report's tables.
#pragma once

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/events/event_filter.hpp"
#include "exporters/analysis/events/selection/export_selection.hpp"

namespace prof::events {

// Creates views with the names of tables, for every later query of this reader. A view adds the
// columns that older exports lack (as NULL) and shows only the events of the filter. The file does
// not change. The function may be called again with another filter. Afterwards
// ReportReader::filter() returns the filter, for statistics whose rows need more than one event:
// they read "main.TABLE" and apply it themselves.
base::Status make_views(const report::ReportReader& reader, const EventFilter& filter = {},
                        const ExportSelection& selection = {});

}  // namespace prof::events
