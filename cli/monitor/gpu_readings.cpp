#include "cli/monitor/gpu_readings.hpp"

#include <limits>

namespace prof::cli {

double DeviceValues::value(std::string_view counter) const {
  for (const CounterValue& each : values)
    if (each.name == counter) return each.value;
  return std::numeric_limits<double>::quiet_NaN();
}

std::vector<const DeviceValues*> GpuReadings::of(std::string_view domain) const {
  std::vector<const DeviceValues*> found;
  for (const DeviceValues& each : devices)
    if (each.domain == domain) found.push_back(&each);
  return found;
}

}  // namespace prof::cli
