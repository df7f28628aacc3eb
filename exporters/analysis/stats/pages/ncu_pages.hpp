// Profiles of kernels as `ncu --import REPORT --page raw|details|source --csv` prints them, for
// scripts that read that.
#pragma once

#include <cstdint>
#include <string>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"

namespace prof::stats {

enum class NcuPage : std::uint8_t {
  kRaw,      // a column for each metric, a row for each launch; the second row has the units
  kDetails,  // a row for each metric of a section, and for each rule
  kSource    // a row for each machine instruction, with its samples
};

enum class PageUnits : std::uint8_t {
  kAuto,  // with prefixes: "Gbyte/s"
  kBase   // without
};

// Returns CSV. The columns and labels are Nsight Compute's, the texts of rules are prof's. It is
// empty if the report has no profiles, or no PC samples for the source page.
base::Result<std::string> ncu_page(const report::ReportReader& reader, NcuPage page,
                                   PageUnits units);

}  // namespace prof::stats
