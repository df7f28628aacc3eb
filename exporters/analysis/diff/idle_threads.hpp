// Finds threads that wait nearly all of their time, such as the idle threads of a pool. When a run
// takes longer, they wait longer, but the program does not do more work.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_set>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"

namespace prof::diff {

// True for an OS-runtime function that waits for other threads, for input, or for a time.
bool is_waiting_function(std::string_view name);

// Returns the globalTid of each thread that spends at least 90 % of its time in such functions.
base::Result<std::unordered_set<std::int64_t>> idle_threads(const report::ReportReader& reader);

}  // namespace prof::diff
