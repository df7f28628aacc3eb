#include "injection/core/doors.hpp"

namespace prof::core {

constinit Doors g_doors{};

}  // namespace prof::core
