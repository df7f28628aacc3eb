// Joining the collector's session, from the constructor and again in every fork child.
#pragma once

#include <cstdint>

#include "injection/wire/handshake.hpp"

namespace prof::core {

// Connects to the session at `directory` and maps its arena. On any failure the process simply
// stays untraced. `library` is the path children are to preload.
void join_session(const char* directory, const char* library);

// Introduces this fork child, or waits a moment for the thread that is at it; async-signal-safe.
// Returns the new live word: a serial, kConnecting if that takes too long, kOff or kUntilExec.
std::uint32_t join_after_fork();

// Can a program that this process execs now still enter the session's directory? Not if the process
// has changed to another user.
bool can_reach_session();

// Resets the live word in a fork child where the kernel could not do it.
void forget_parent();

// Wakes the collector. Best effort: dropped if the pipe cannot be opened or is full.
void announce(wire::AnnouncementKind kind, std::uint32_t chunk);

}  // namespace prof::core
