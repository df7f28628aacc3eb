// Values of metrics by name: of one launch, or of several launches with the same configuration.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace prof::insight {

struct MetricValue {
  double median = 0;
  double low = 0;   // the smallest of all launches
  double high = 0;  // the largest
  std::int64_t launches = 0;
  bool operator==(const MetricValue&) const = default;
};

// Sorts the values. `values` must not be empty.
MetricValue metric_value_of(std::vector<double>& values);

class MetricValues {
 public:
  using ByName = std::map<std::string, MetricValue, std::less<>>;

  MetricValues() = default;
  explicit MetricValues(ByName values) : values_(std::move(values)) {}

  const ByName& by_name() const { return values_; }
  std::optional<double> find(std::string_view name) const {
    const auto found = values_.find(name);
    return found == values_.end() ? std::nullopt : std::optional(found->second.median);
  }
  // Returns 0 for a metric that was not measured.
  double or_zero(std::string_view name) const { return find(name).value_or(0); }

 private:
  ByName values_;
};

// Percents of a unit's peak: of the whole time of a kernel, and of the time in which the unit is
// active.
inline std::string elapsed(std::string_view metric) {
  return std::string(metric) + ".avg.pct_of_peak_sustained_elapsed";
}
inline std::string active(std::string_view metric) {
  return std::string(metric) + ".avg.pct_of_peak_sustained_active";
}

}  // namespace prof::insight
