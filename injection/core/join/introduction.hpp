// Introduces this process to the collector and reads what to record.
//
// There are two ways. If the session has a standing reply, the process maps the arena, takes a
// serial and a slot there, writes an Arrival to a pipe, and continues without waiting; the
// collector reads the Arrival when it next polls. Otherwise the process sends a request and waits;
// the collector's answer has the configuration, the serial and the slot. See
// docs/decisions/0019-standing-reply.md.
#pragma once

#include "common/wire/chunk.hpp"

namespace prof::core {

// These functions join in the two ways. Both read g_process.session, write the configuration to
// g_process, and return the arena. They return null if the process cannot join in this way.
wire::ArenaHeader* join_with_standing_reply();
wire::ArenaHeader* join_with_request();

// Forgets the session that the process has left, so that it may join another one.
void forget_session();

enum class Answer {
  kNone,     // the collector could not be reached
  kRefused,  // the collector refused, and counted this process
  kWelcome,
};

// Introduces a fork child, which has its parent's mapping of the arena. Uses the way in which the
// parent joined; if that fails, a request. Async-signal-safe.
Answer introduce_after_fork();

}  // namespace prof::core
