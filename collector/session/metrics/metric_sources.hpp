// Samples counters of GPUs and of the machine during a session.
#pragma once

#include <memory>

#include "collector/metrics/gpu/helper_process.hpp"
#include "collector/metrics/metric_buffer.hpp"
#include "collector/metrics/polling_thread.hpp"
#include "collector/session/session_context.hpp"

namespace prof::session {

class MetricSources {
 public:
  // Starts what the user chose.
  explicit MetricSources(const SessionContext& session);

  // Waits until GPUs are sampled, so that the program is from its start on. `signals`: becomes
  // readable when the user interrupts. Fails if the options make no sense on this machine.
  base::Status wait_until_ready(int signals);

  // Moves what was sampled by now into the spool. `in_range`: has there been a capture range since
  // the last call? Samples of other times are dropped.
  void drain(bool in_range);
  // The same for the last time.
  void finish(bool in_range);

 private:
  void start_gpu_metrics(const SessionContext& session);

  SpoolRecorder& recorder_;
  metrics::MetricBuffer buffer_;
  metrics::PollingThread polling_{buffer_};
  std::unique_ptr<metrics::HelperProcess> gpus_;
};

}  // namespace prof::session
