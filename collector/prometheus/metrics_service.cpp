#include "collector/prometheus/metrics_service.hpp"

#include <time.h>

namespace prof::prometheus {

namespace {

std::uint64_t monotonic_raw() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC_RAW, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(now.tv_nsec);
}

}  // namespace

base::Result<MetricsService> MetricsService::listen(const ListenAddress& address) {
  auto endpoint = Endpoint::listen(address);
  if (!endpoint) return tl::make_unexpected(endpoint.error());
  return MetricsService(std::move(*endpoint));
}

LiveMetrics& MetricsService::start(const spool::SessionClock& clock, const std::string& version) {
  metrics_ = std::make_unique<LiveMetrics>(clock, version);
  endpoint_->start([metrics = metrics_.get()] { return metrics->text(monotonic_raw()); });
  return *metrics_;
}

}  // namespace prof::prometheus
