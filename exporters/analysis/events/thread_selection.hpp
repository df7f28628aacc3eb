// --process and --thread: finds processes and threads by number or name.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/events/event_filter.hpp"

namespace prof::events {

// Tells if a name matches a pattern.
using Matches = std::function<bool(std::string_view name, const std::string& pattern)>;

// Selects the processes that one of `patterns` names: a pid, or a pattern for the path of the
// program or its last part. Fails if no process matches.
base::Result<EventFilter> find_process_filter(const report::ReportReader& reader,
                                              const std::vector<std::string>& patterns,
                                              const Matches& matches);
// Selects the threads that one of `patterns` names: a tid, or a pattern for the thread's name.
// Fails if no thread matches.
base::Result<EventFilter> find_thread_filter(const report::ReportReader& reader,
                                             const std::vector<std::string>& patterns,
                                             const Matches& matches);

}  // namespace prof::events
