// The system calls of the target and its children, recorded into the spool where the kernel allows.
#pragma once

#include <sys/types.h>

#include <optional>

#include "collector/sampler/system_calls.hpp"
#include "collector/session/event_loop.hpp"
#include "collector/session/spool_recorder.hpp"

namespace prof::session {

class SystemCallSource {
 public:
  // Of a target that waits to exec; a refusal is told and recorded. Not `wanted`: does nothing.
  // The references outlive the object.
  SystemCallSource(bool wanted, pid_t target, SpoolRecorder& recorder, const EventLoop& loop);

  // Moves what the kernel has recorded into the spool.
  void drain();
  // The same for the last time, with what was lost.
  void finish();

 private:
  SpoolRecorder& recorder_;
  std::optional<sampler::SystemCalls> calls_;
};

}  // namespace prof::session
