// The clocks of a job's machines, a line each.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "exporters/analysis/tables/table.hpp"
#include "exporters/ranks/clocks/alignment.hpp"

namespace prof::ranks {

tables::Table clock_table(const std::vector<MachineEstimate>& machines);

// Returns what to know beside the table, a line each: wall clocks that were set while something was
// recorded, and machines whose clock cannot be compared.
std::vector<std::string> clock_remarks(const std::vector<MachineEstimate>& machines);

// Returns how the clock of report number `report` was compared, as a JSON object.
std::string clock_json(const AlignedReports& aligned, std::size_t report);

}  // namespace prof::ranks
