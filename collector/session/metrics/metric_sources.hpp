// Samples counters of GPUs and of the machine during a session.
#pragma once

#include <memory>

#include "collector/metrics/gpu/gpu_sampling.hpp"
#include "collector/metrics/metric_buffer.hpp"
#include "collector/metrics/polling_thread.hpp"
#include "collector/session/session_context.hpp"

namespace prof::session {

class MetricSources {
 public:
  // Starts the sources that the user chose.
  explicit MetricSources(const SessionContext& session);

  // Waits until GPUs are sampled, so that the program is sampled from its start on. `signals`:
  // becomes readable when the user interrupts. Fails if the options do not suit this machine.
  base::Status wait_until_ready(int signals);

  // Moves the samples since the last call into the spool. `in_range`: a capture range was open at
  // some time since the last call; otherwise samples are dropped.
  void drain(bool in_range);
  // Drains for the last time.
  void finish(bool in_range);

 private:
  void start_gpu_metrics(const SessionContext& session);

  SpoolRecorder& recorder_;
  metrics::MetricBuffer buffer_;
  metrics::PollingThread polling_{buffer_};
  std::unique_ptr<metrics::GpuSampling> gpus_;
  metrics::PollingThread gpu_polling_{buffer_};
  metrics::PollingThread meter_polling_{buffer_};
};

}  // namespace prof::session
