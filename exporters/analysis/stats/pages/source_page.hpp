// Machine instructions with PC samples or SASS metrics as `ncu --import REPORT --page source --csv`
// prints them.
#pragma once

#include <string>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"

namespace prof::stats {

// Returns CSV: for each kernel with samples, or for each launch with counts, its name and a row for
// each instruction. What was not recorded is left empty. The page is empty without both.
base::Result<std::string> source_page(const report::ReportReader& reader);

}  // namespace prof::stats
