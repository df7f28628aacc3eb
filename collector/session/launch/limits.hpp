// What the machine and its limits let a session have.
#pragma once

#include <cstdint>

#include "collector/spool/arena.hpp"

namespace prof::session {

// Of the collector itself: more descriptors, files of any size, and the CPU before a busy target.
// After the target has been forked with what we were given.
void raise_limits();

// Chunks of the event buffer: `wanted` bytes, or what the machine can spare if that is 0. No small
// chunks: the limit of file sizes leaves too little to be of use.
spool::ChunkCounts affordable_chunks(std::uint64_t wanted);

}  // namespace prof::session
