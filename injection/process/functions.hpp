// Process-starting functions that are recorded as OS-runtime calls, besides those in osrt/.
#pragma once

#include "injection/core/call.hpp"

namespace prof::process {

inline constexpr core::Function kPosixSpawn{wire::kProcessFunctions + 0, "posix_spawn"};
inline constexpr core::Function kPosixSpawnp{wire::kProcessFunctions + 1, "posix_spawnp"};
inline constexpr core::Function kSystem{wire::kProcessFunctions + 2, "system"};
inline constexpr core::Function kPopen{wire::kProcessFunctions + 3, "popen"};

}  // namespace prof::process
