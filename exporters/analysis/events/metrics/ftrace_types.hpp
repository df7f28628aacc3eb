// Tells events of the kernel's tracepoints from samples of counters; GENERIC_EVENTS has both.
#pragma once

#include <string>

#include "common/report/report_reader.hpp"

namespace prof::events {

// Returns an SQL expression that is true for a typeId of an event of a tracepoint. Empty if the
// report can have no such events.
std::string is_ftrace_type(const report::ReportReader& reader, const std::string& type_id);

}  // namespace prof::events
