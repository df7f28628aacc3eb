// Version of everything in this folder. Both sides refuse a peer with another version.
#pragma once

#include <cstdint>

namespace prof::wire {
inline constexpr std::uint16_t kWireVersion = 33;
}
