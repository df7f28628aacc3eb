// How calls of operators are grouped.
#pragma once

#include <cstdint>

namespace prof::operators {

// By name, shapes, type, direction and module; or only by one of these.
enum class GroupBy : std::uint8_t { kOperator, kName, kModule, kCategory };

}  // namespace prof::operators
