// Prometheus's text format, version 0.0.4.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace prof::prometheus {

using Labels = std::vector<std::pair<std::string_view, std::string>>;

class MetricsText {
 public:
  // Begins a metric; its samples follow. `type` is counter, gauge or histogram.
  void metric(std::string_view name, std::string_view type, std::string_view help);
  // Adds a sample. `suffix` is "_bucket", "_sum" or "_count" in a histogram. Label texts that are
  // not UTF-8 are escaped.
  void sample(const Labels& labels, double value, std::string_view suffix = {});
  void sample(const Labels& labels, std::uint64_t value, std::string_view suffix = {});

  const std::string& text() const { return text_; }

 private:
  void begin_sample(const Labels& labels, std::string_view suffix);

  std::string text_;
  std::string name_;
};

}  // namespace prof::prometheus
