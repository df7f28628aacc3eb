// Version of everything in this folder; both sides refuse a peer of another one.
#pragma once

#include <cstdint>

namespace prof::wire {
inline constexpr std::uint16_t kWireVersion = 8;
}
