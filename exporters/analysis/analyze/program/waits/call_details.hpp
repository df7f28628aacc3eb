// Adds details that a function's name does not tell: the file, the number of bytes, and what a
// thread in the call waits for.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/analyze/program/cpu_facts.hpp"

namespace prof::analyze {

// Sets bytes, file and waits_for of the calls, which must be sorted by thread and start. `tids` has
// the globalTid of each thread. The function uses the strings and the callers of `facts` and fills
// in its files and short calls.
base::Status read_call_details(const report::ReportReader& reader,
                               std::span<const std::int64_t> tids, std::vector<OsCall>& calls,
                               CpuFacts& facts);

}  // namespace prof::analyze
