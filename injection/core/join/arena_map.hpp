// Maps the arena into this process. The mapping counts against the program's memory limits, so only
// as much is mapped as these leave room for.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/wire/chunk.hpp"
#include "common/wire/handshake.hpp"

namespace prof::core {

// Is the file a memfd that nobody can shrink or grow?
bool is_sealed_memory(int descriptor);

// Maps the arena: the file `descriptor`, which has `file_bytes` bytes. Maps only as many chunks as
// RLIMIT_AS allows and writes their number to g_process. Returns null if that fails, if not even a
// few chunks fit, or if the file is not an arena.
wire::ArenaHeader* map_arena(int descriptor, std::size_t file_bytes, const wire::Reply& reply);

// The process leaves the session for good and goes on. Where the arena was there is ordinary memory
// afterwards, which says that the session is over and that nobody collects. The arena of another
// session can take its place.
void leave_arena(wire::ArenaHeader* arena);

// For a child that was forked while prof attached to its parent. The same for the arena that the
// parent had mapped or was about to map, of which the child's g_process need not know.
void leave_arena_of_parent();

// Undoes map_arena(). Only before anything is recorded.
void unmap_arena(wire::ArenaHeader* arena);

// Unmaps chunks until the mapping takes one eighth of `bytes` at most. `bytes` is a limit that the
// program sets or has reached; with RLIM_INFINITY, chunks that are not backed by memory are
// unmapped. Chunks that this process writes to stay mapped. May be called at any time, from any
// thread.
void shrink_arena(std::uint64_t bytes);

}  // namespace prof::core
