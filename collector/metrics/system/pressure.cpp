#include "collector/metrics/system/pressure.hpp"

namespace prof::metrics {

namespace {

constexpr double kMicroseconds = 1e-6;

// Returns the total, in seconds, from "some avg10=0.00 avg60=0.00 avg300=0.00 total=123".
double seconds_of(std::string_view text, std::string_view key) {
  constexpr std::string_view kTotal = "total=";
  const auto line = line_of(text, key);
  const std::size_t at = line ? line->find(kTotal) : std::string_view::npos;
  if (at == std::string_view::npos) return kNoValue;
  const auto numbers = numbers_of(line->substr(at + kTotal.size()));
  return numbers.empty() ? kNoValue : numbers[0] * kMicroseconds;
}

}  // namespace

// A kernel can have the file and refuse to read it.
Pressure::Pressure(const std::string& proc, const std::string& resource)
    : file_(proc + "/pressure/" + resource),
      name_(resource == "cpu"  ? "CPU"
            : resource == "io" ? "I/O"
                               : "Memory"),
      known_(!file_.read().empty()) {}

std::vector<CounterKind> Pressure::counters() const {
  return {{name_ + " Pressure: some tasks wait", "%", Reading::kTime, spool::CounterType::kDouble},
          {name_ + " Pressure: all tasks wait", "%", Reading::kTime, spool::CounterType::kDouble}};
}

void Pressure::read(std::span<double> values) {
  const std::string_view text = file_.read();
  values[0] = seconds_of(text, "some");
  values[1] = seconds_of(text, "full");
}

}  // namespace prof::metrics
