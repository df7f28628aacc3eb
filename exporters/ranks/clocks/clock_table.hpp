// The clocks of a job's machines, a line each.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "exporters/analysis/tables/table.hpp"
#include "exporters/ranks/clocks/alignment.hpp"

namespace prof::ranks {

tables::Table clock_table(const std::vector<MachineEstimate>& machines);

// Returns a line for each report: its path, what makes its times common, and how its clock was
// compared. Without an alignment the last column says why.
tables::Table report_clock_table(const std::vector<std::string>& paths,
                                 const AlignedReports& aligned);

// Returns what to know beside the table, a line each: wall clocks that were set while something was
// recorded, and machines whose clock cannot be compared.
std::vector<std::string> clock_remarks(const std::vector<MachineEstimate>& machines);

// Returns how the clock of report number `report` was compared, as a JSON object.
std::string clock_json(const AlignedReports& aligned, std::size_t report);

}  // namespace prof::ranks
