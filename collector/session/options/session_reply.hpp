// Makes the configuration that every process of a session gets. No other code makes it.
#pragma once

#include <cstdint>

#include "collector/session/options/session_options.hpp"
#include "collector/spool/arena.hpp"
#include "collector/spool/session_clock.hpp"
#include "common/base/result.hpp"
#include "common/wire/handshake.hpp"

namespace prof::session {

// Facts that the reply needs in addition to the options.
struct SessionFacts {
  spool::SessionClock clock;
  spool::ChunkCounts chunks;
  bool copies_stacks;           // copies stacks at calls
  std::uint64_t sample_period;  // period of processes that sample themselves, ns; 0: they do not
};

// Returns everything except a process's serial and slot.
wire::Reply reply_of(const SessionOptions& options, const SessionFacts& facts);

// Returns the reply for processes that take their serial and slot from the arena. `arena`: its
// descriptor.
base::Result<wire::StandingReply> standing_reply(const wire::Reply& reply, int arena);

}  // namespace prof::session
