// The metrics of a session, and the endpoint that gives them.
#pragma once

#include <memory>
#include <string>

#include "collector/prometheus/endpoint.hpp"
#include "collector/prometheus/live_metrics.hpp"
#include "common/base/result.hpp"

namespace prof::prometheus {

class MetricsService {
 public:
  static base::Result<MetricsService> listen(const ListenAddress& address);

  // Answers from now on. Returns what records are to be passed to; it lives as long as this.
  LiveMetrics& start(const spool::SessionClock& clock, const std::string& version);

 private:
  explicit MetricsService(std::unique_ptr<Endpoint> endpoint) : endpoint_(std::move(endpoint)) {}

  std::unique_ptr<LiveMetrics> metrics_;
  std::unique_ptr<Endpoint> endpoint_;  // last: it uses the metrics
};

}  // namespace prof::prometheus
