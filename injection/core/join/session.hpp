// Joins the collector's session, in the constructor and again in every fork child.
#pragma once

#include <cstdint>

#include "common/wire/handshake.hpp"

namespace prof::core {

// Joins the session at `directory` and maps its arena. On any failure the process stays untraced.
// `library` is the path that child processes preload.
void join_session(const char* directory, const char* library);

// Leaves the session. From then on all wrappers act as while nobody collects. The process can join
// another session later.
void leave_session();

// Leaves the parent's session in a child that was forked while prof attached to its parent. The
// child has joined that session in part or not at all.
void leave_session_of_parent();

// Introduces this fork child to the collector, or waits a moment for another thread that is doing
// so. Async-signal-safe. Returns the new live word: a serial, kConnecting if the wait takes too
// long, kOff or kUntilExec.
std::uint32_t join_after_fork();

// True if a program that this process execs now cannot join the session: there was no session, it
// has ended, this process has left it, or its directory is gone (prof was killed, or the process
// has another root directory). Call it only outside of sandboxes.
bool is_session_over();

// True if a program that this process execs now can enter the session's directory. It cannot if the
// process has changed to another user.
bool can_reach_session();

// Makes this process the parent that its fork children find. Call it before a fork. Does nothing in
// a process that has not joined.
void prepare_to_fork();

// Call it in a fork child. Resets the live word if the kernel does not support MADV_WIPEONFORK, and
// touches the word's page. Returns false if the kernel claims to support it, but has wiped nothing,
// as in emulators and sandboxes.
bool forget_parent();

// Wakes the collector. Does nothing if the pipe cannot be opened or is full.
void announce(wire::AnnouncementKind kind, std::uint32_t chunk);

}  // namespace prof::core
