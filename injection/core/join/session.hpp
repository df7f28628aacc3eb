// Joining the collector's session, from the constructor and again in every fork child.
#pragma once

#include <cstdint>

#include "common/wire/handshake.hpp"

namespace prof::core {

// Joins the session at `directory` and maps its arena. On any failure the process stays untraced.
// `library` is the path that child processes preload.
void join_session(const char* directory, const char* library);

// Leaves it. Everything that is called from now on finds nobody who collects. The process can join
// another session later.
void leave_session();

// For a child that was forked while prof attached to its parent: leaves the parent's session, which
// the child has joined in part or not at all.
void leave_session_of_parent();

// Introduces this fork child to the collector, or waits a moment for another thread that is doing
// so. Async-signal-safe. Returns the new live word: a serial, kConnecting if the wait takes too
// long, kOff or kUntilExec.
std::uint32_t join_after_fork();

// Can a program that this process execs now join no more? There was no session, it has ended, this
// process has left it, or its directory is gone: prof was killed, or the process has another root
// directory. Only outside of sandboxes.
bool is_session_over();

// Can a program that this process execs now enter the session's directory? It cannot if the process
// has changed to another user.
bool can_reach_session();

// Makes this process the one that its fork children find as their parent. To be called before a
// fork; does nothing in a process that has not joined.
void prepare_to_fork();

// In a fork child: resets the live word if the kernel does not support MADV_WIPEONFORK, and touches
// its page. Returns false if the kernel said that it does, but has wiped nothing: emulators and
// sandboxes do that.
bool forget_parent();

// Wakes the collector. Best effort: does nothing if the pipe cannot be opened or is full.
void announce(wire::AnnouncementKind kind, std::uint32_t chunk);

}  // namespace prof::core
