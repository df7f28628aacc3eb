// A script that runs one operator of a report alone and measures it.
#pragma once

#include <cstddef>
#include <string>

#include "common/base/result.hpp"
#include "exporters/analysis/operators/operator_model.hpp"

namespace prof::operators {

// Returns the text of a Python script for the operator in a row of operator_sum, counted from 1. It
// needs PyTorch, and nothing of the program. Fails if the row has no operator with shapes.
base::Result<std::string> replay_script(const OperatorModel& model, std::size_t row);

}  // namespace prof::operators
