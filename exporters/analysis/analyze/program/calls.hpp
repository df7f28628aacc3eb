// Reads the calls of a program, and the times in which its threads wait for Python's lock.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/analyze/program/cpu_facts.hpp"
#include "exporters/analysis/events/call_chains/numbering.hpp"

namespace prof::analyze {

struct HashTid {
  std::uint64_t operator()(std::int64_t tid) const { return static_cast<std::uint64_t>(tid); }
};
// Numbers threads in the order in which they are met.
using ThreadNumbers = events::Numbering<std::int64_t, HashTid>;

// Reads OSRT_API and, for threads that have no rows there, SYSCALL. The calls are clipped to the
// window of the views, and not sorted.
base::Result<std::vector<OsCall>> read_calls(const report::ReportReader& reader,
                                             ThreadNumbers& threads);
// Sorts the calls by thread and start, outer calls first, and marks the nested ones.
void order(std::vector<OsCall>& calls);

// Reads the ranges of Python's interpreter lock that prof records. The result is not sorted.
base::Result<std::vector<LockRange>> read_lock_ranges(const report::ReportReader& reader,
                                                      ThreadNumbers& threads);

}  // namespace prof::analyze
