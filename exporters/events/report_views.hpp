// What the reports read in place of the file's tables.
#pragma once

#include "collector/base/result.hpp"
#include "collector/report/report_reader.hpp"
#include "exporters/events/event_filter.hpp"

namespace prof::events {

// Puts views of the same names before tables, for every later query of this reader: with the
// columns that older exports lack, as NULL, and with the events of the filter only. The file stays
// as it is. May be called again.
base::Status make_views(const report::ReportReader& reader, const EventFilter& filter = {});

// What make_views() was last told, for reports whose rows are more than single events; these read
// "main.TABLE".
EventFilter filter_of_views(const report::ReportReader& reader);

}  // namespace prof::events
