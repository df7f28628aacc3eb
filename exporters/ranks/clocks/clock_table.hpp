// The clocks of a job's machines, a line each.
#pragma once

#include <string>
#include <vector>

#include "exporters/analysis/tables/table.hpp"
#include "exporters/ranks/clocks/clocks.hpp"

namespace prof::ranks {

tables::Table clock_table(const std::vector<MachineEstimate>& machines);

// Returns what to know beside the table, a line each: wall clocks that were set while something was
// recorded, and machines whose clock cannot be compared.
std::vector<std::string> clock_remarks(const std::vector<MachineEstimate>& machines);

}  // namespace prof::ranks
