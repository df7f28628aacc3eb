// How this process makes itself known to the collector, and gets to know what it is to record.
//
// By telling: where the session has left a standing reply, the process maps the arena, takes a
// serial and a slot there, says so and goes on. Nobody is waited for, and the collector finds the
// Hello when it looks for records. By asking: the collector answers with all that.
// docs/decisions/0019-standing-reply.md
#pragma once

#include "injection/wire/chunk.hpp"

namespace prof::core {

// Both write what they learn into g_process, whose `session` is known, and return the arena; null
// if that is no way to join.
wire::ArenaHeader* join_by_telling();
wire::ArenaHeader* join_by_asking();

enum class Answer {
  kNone,     // nobody was reached
  kRefused,  // and the collector has counted us
  kWelcome,
};

// In a fork child, which has the arena: the way that its parent joined, or else by asking.
// Async-signal-safe.
Answer introduce_after_fork();

}  // namespace prof::core
