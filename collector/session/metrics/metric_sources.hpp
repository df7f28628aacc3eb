// Samples counters of GPUs and of the machine during a session.
#pragma once

#include "collector/metrics/metric_buffer.hpp"
#include "collector/metrics/polling_thread.hpp"
#include "collector/session/session_context.hpp"

namespace prof::session {

class MetricSources {
 public:
  // Starts what the user chose.
  explicit MetricSources(const SessionContext& session);

  // Moves what was sampled by now into the spool. `in_range`: has there been a capture range since
  // the last call? Samples of other times are dropped.
  void drain(bool in_range);
  // The same for the last time.
  void finish(bool in_range);

 private:
  SpoolRecorder& recorder_;
  metrics::MetricBuffer buffer_;
  metrics::PollingThread polling_{buffer_};
};

}  // namespace prof::session
