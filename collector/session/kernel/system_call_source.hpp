// Moves records of the system calls of the target and its children from the kernel into the spool,
// if the kernel allows it.
#pragma once

#include <sys/types.h>

#include <optional>

#include "collector/sampler/tracepoints/system_calls.hpp"
#include "collector/session/session_context.hpp"

namespace prof::session {

class SystemCallSource {
 public:
  // `target` waits to exec. If the kernel refuses, the user is warned, and the report says so. Does
  // nothing if system calls are not traced.
  SystemCallSource(const SessionContext& session, pid_t target);

  // Moves what the kernel has recorded by now into the spool.
  void drain();
  // Drains for the last time. Also records how many records were lost.
  void finish();

 private:
  SpoolRecorder& recorder_;
  std::optional<sampler::SystemCalls> calls_;
};

}  // namespace prof::session
