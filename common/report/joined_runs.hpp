// Puts what several runs of a program have counted into one report: prof kernel
// --replay=application.
#pragma once

#include <cstdint>
#include <string>

#include "common/base/result.hpp"

namespace prof::report {

// Adds the pass that another run has made to the profiles of the report. Launches belong together
// if they have the same place in their process, among the launches that were selected, and the same
// name, size, GPU and stream. Returns how many launches of the report have no such partner.
base::Result<std::int64_t> join_run(const std::string& report, const std::string& other,
                                    std::int64_t pass);

// Writes into the profiles which passes are missing. Returns how many profiles lack passes.
base::Result<std::int64_t> note_missing_runs(const std::string& report);

}  // namespace prof::report
