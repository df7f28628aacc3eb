#include "collector/prometheus/metrics_service.hpp"

#include "common/base/raw_time.hpp"

namespace prof::prometheus {

base::Result<MetricsService> MetricsService::listen(const ListenAddress& address) {
  auto endpoint = Endpoint::listen(address);
  if (!endpoint) return tl::make_unexpected(endpoint.error());
  return MetricsService(std::move(*endpoint));
}

LiveMetrics& MetricsService::start(const spool::SessionClock& clock, const std::string& version) {
  metrics_ = std::make_unique<LiveMetrics>(clock, version);
  endpoint_->start([metrics = metrics_.get()] { return metrics->text(base::raw_time()); });
  return *metrics_;
}

}  // namespace prof::prometheus
