// Writes sampled counters. The counters of a device share a process of the trace.
#include <fmt/format.h>

#include <map>
#include <string>

#include "common/base/text/json.hpp"
#include "exporters/analysis/events/metrics/sampled_counters.hpp"
#include "exporters/formats/chrome/parts.hpp"

namespace prof::formats {

namespace {

// A counter with its names in the trace.
struct ChromeCounter {
  std::int64_t pid;
  std::string name;  // in quotes
};

ChromeCounter make_counter(ChromeDocument& document, const events::SampledCounter& counter) {
  const std::string device = !counter.device.empty() ? counter.device
                             : counter.gpu
                                 ? fmt::format("Metrics of {}", document.names.gpu(*counter.gpu))
                                 : "Counters";
  // The unit is part of the name, because some of nsys's counters differ only in their units.
  const std::string unit = counter.unit.empty() ? "" : fmt::format(" [{}]", counter.unit);
  return {document.rows.of_counters(device), base::quoted_json(counter.name + unit)};
}

}  // namespace

base::Status write_chrome_counters(ChromeDocument& document) {
  auto counters = events::SampledCounters::read(document.reader);
  if (!counters) return tl::make_unexpected(counters.error());
  std::map<std::size_t, ChromeCounter> known;
  return counters->visit(document.reader, [&](const events::SampledCounter& counter,
                                              std::size_t number, std::int64_t time, double value) {
    auto at = known.find(number);
    if (at == known.end()) at = known.emplace(number, make_counter(document, counter)).first;
    document.events.counter(at->second.name, at->second.pid, time, value);
  });
}

}  // namespace prof::formats
