// The objects that the parts of a session share. They outlive the parts.
#pragma once

#include "collector/session/chains/call_chain_context.hpp"
#include "collector/session/event_loop.hpp"
#include "collector/session/options/session_options.hpp"
#include "collector/session/session_directory.hpp"
#include "collector/session/spool_recorder.hpp"
#include "collector/spool/session_clock.hpp"

namespace prof::session {

struct SessionContext {
  const SessionOptions& options;
  const SessionDirectory& directory;
  const EventLoop& loop;
  SpoolRecorder& recorder;
  CallChainContext& chains;
  spool::SessionClock clock;
  bool target_loads_library;  // false: only programs that the target starts may be traced
};

}  // namespace prof::session
