// Moves events of chosen tracepoints from the kernel into the spool, if the kernel allows it.
#pragma once

#include <optional>

#include "collector/sampler/tracepoints/tracepoint_events.hpp"
#include "collector/session/session_context.hpp"

namespace prof::session {

class TracepointSource {
 public:
  // If the kernel refuses, or has no such tracepoint, the user is warned, and the report says so.
  // Does nothing if no tracepoint is chosen.
  explicit TracepointSource(const SessionContext& session);

  // Moves what the kernel has recorded by now into the spool. `in_range`: see KernelSources.
  void drain(bool in_range);
  // Drains for the last time. Also records how many records were lost.
  void finish(bool in_range);

 private:
  std::vector<sampler::Tracepoint> find(const std::vector<std::string>& names);

  SpoolRecorder& recorder_;
  std::optional<sampler::TracepointEvents> events_;
};

}  // namespace prof::session
