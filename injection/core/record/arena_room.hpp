// Finds out which chunks of the arena have memory. At the start of a session only a few have,
// because zeroing and freeing memory is a large part of the cost of a short program. The collector
// adds memory when many chunks are in use. A thread that finds no free chunk adds some itself, so
// that a burst of events does not depend on the collector's speed.
#pragma once

#include <cstdint>

#include "common/wire/chunk.hpp"

namespace prof::core {

// Returns the number of chunks that this process may claim now.
std::uint32_t usable_chunks(wire::ChunkSize size);

// Returns the number of chunks that this process may claim now or after it has added some itself.
std::uint32_t expected_chunks(wire::ChunkSize size);

// Backs a few more chunks of this size by memory. Never raises SIGBUS. Returns false if that is not
// possible: all are backed, memory is short, the process makes no more system calls, or the kernel
// is older than 5.14. Makes a system call, which takes some 20 us.
bool add_chunks(wire::ChunkSize size);

// Adds one `part`-th of the chunks that the process is expected to need, and asks the collector for
// the others. Call this before the process loses the ability to add chunks.
void reserve_chunks(std::uint32_t part);

}  // namespace prof::core
