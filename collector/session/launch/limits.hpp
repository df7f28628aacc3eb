// The resources that the machine and its limits allow a session.
#pragma once

#include <cstdint>

#include "collector/spool/arena.hpp"

namespace prof::session {

// Raises the limits of the collector itself: descriptors, file size, memory, and CPU priority.
// Called after the target has been forked, because the target keeps the original limits.
void raise_limits();

// True if the address space is limited (ulimit -v).
bool has_limited_memory();

// Returns the number of chunks of an event buffer of `wanted` bytes, or of a default size if that
// is 0. Returns 0 small chunks if a limit leaves too little for a usable buffer: that of file
// sizes, or that of the address space if the user chose no size.
spool::ChunkCounts affordable_chunks(std::uint64_t wanted);

}  // namespace prof::session
