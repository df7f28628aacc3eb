// PC samples by machine instruction as `ncu --import REPORT --page source --csv` prints them.
#pragma once

#include <string>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"

namespace prof::stats {

// Returns CSV: for each kernel its name, and a row for each instruction. What samples do not say is
// left empty. The page is empty without samples.
base::Result<std::string> source_page(const report::ReportReader& reader);

}  // namespace prof::stats
