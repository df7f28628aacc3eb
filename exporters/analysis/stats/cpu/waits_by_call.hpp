// thread_state_sum:osrt and :cuda: the time that threads waited, by the call in which they waited.
#pragma once

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/events/thread_names.hpp"
#include "exporters/analysis/stats/arguments.hpp"
#include "exporters/analysis/tables/table.hpp"

namespace prof::stats {

// Returns the waits. `arguments.waited_in` selects the kind of calls.
base::Result<tables::Table> waits_by_call(const report::ReportReader& reader,
                                          const events::ThreadNames& names,
                                          const Arguments& arguments);

}  // namespace prof::stats
