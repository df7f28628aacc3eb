// Finds out which memory can be read, for addresses that come from the program. A page that can be
// read is assumed to stay readable for about 50 ms, so most calls need no system call.
#pragma once

#include <cstddef>
#include <cstdint>

namespace prof::nvtx {

// Returns how many of the `size` bytes at `address` can be read. `time` is the session's clock.
std::size_t readable_bytes(const void* address, std::size_t size, std::uint64_t time);

}  // namespace prof::nvtx
