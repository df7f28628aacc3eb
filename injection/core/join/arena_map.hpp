// The arena in this process's memory: how much of it is mapped. Only ever as much as the program's
// own limits leave room for, as what we map counts against them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "injection/wire/chunk.hpp"
#include "injection/wire/handshake.hpp"

namespace prof::core {

// Can nobody pull the memory from under us?
bool is_sealed_memory(int descriptor);

// Maps the arena behind `descriptor`, a file of so many bytes, or as many chunks of it as RLIMIT_AS
// allows, and says in g_process how many those are. Null if that fails, there is no room for a few,
// or it is no arena.
wire::ArenaHeader* map_arena(int descriptor, std::size_t file_bytes, const wire::Reply& reply);

// Undoes that, before anything was recorded.
void unmap_arena(wire::ArenaHeader* arena);

// Gives back all but what one eighth of `bytes` holds (a limit that the program sets or runs into;
// RLIM_INFINITY: what has memory behind it), and what this process is writing to. Any time, from
// any thread.
void shrink_arena(std::uint64_t bytes);

}  // namespace prof::core
