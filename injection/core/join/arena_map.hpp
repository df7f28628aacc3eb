// Maps the arena into this process. The mapping counts against the program's memory limits, so only
// as many chunks are mapped as the limits permit.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/wire/chunk.hpp"
#include "common/wire/handshake.hpp"

namespace prof::core {

// True if the file is a memfd that nobody can shrink or grow.
bool is_sealed_memory(int descriptor);

// Maps the arena: the file `descriptor`, which has `file_bytes` bytes. Maps only as many chunks as
// RLIMIT_AS allows and writes their number to g_process. Returns null if that fails, if not even a
// few chunks fit, or if the file is not an arena.
wire::ArenaHeader* map_arena(int descriptor, std::size_t file_bytes, const wire::Reply& reply);

// Replaces the arena by ordinary memory when the process leaves the session for good and continues.
// The header in that memory says that the session is over and that nobody collects. The arena of
// another session can take its place.
void leave_arena(wire::ArenaHeader* arena);

// Undoes the mapping of an arena in a child that was forked while prof attached to its parent: the
// arena that the parent had mapped or was about to map. The child's g_process may not know that
// arena.
void leave_arena_of_parent();

// Undoes map_arena(). Call it only before anything is recorded.
void unmap_arena(wire::ArenaHeader* arena);

// Unmaps chunks until the mapping takes at most one eighth of `bytes`, a limit that the program
// sets or has reached. With RLIM_INFINITY, chunks that are not backed by memory are unmapped.
// Chunks that this process writes to stay mapped. May be called at any time, from any thread.
void shrink_arena(std::uint64_t bytes);

}  // namespace prof::core
