// thread_state_sum:osrt and :cuda: the time that threads waited, by the call in which they waited.
#pragma once

#include "collector/base/result.hpp"
#include "collector/report/report_reader.hpp"
#include "exporters/events/thread_names.hpp"
#include "exporters/stats/arguments.hpp"
#include "exporters/tables/table.hpp"

namespace prof::stats {

// `arguments.waited_in` says which calls.
base::Result<tables::Table> waits_by_call(const report::ReportReader& reader,
                                          const events::ThreadNames& names,
                                          const Arguments& arguments);

}  // namespace prof::stats
