// The metrics of a session, and the HTTP endpoint that serves them.
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

  // Starts to answer. Returns the object that records are passed to, which lives as long as this
  // object.
  LiveMetrics& start(const spool::SessionClock& clock, const std::string& version);

 private:
  explicit MetricsService(std::unique_ptr<Endpoint> endpoint) : endpoint_(std::move(endpoint)) {}

  std::unique_ptr<LiveMetrics> metrics_;
  std::unique_ptr<Endpoint> endpoint_;  // declared last, because it uses the metrics
};

}  // namespace prof::prometheus
