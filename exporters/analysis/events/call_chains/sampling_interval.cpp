#include "exporters/analysis/events/call_chains/sampling_interval.hpp"

#include <charconv>
#include <limits>

#include "exporters/analysis/events/rows.hpp"

namespace prof::events {

namespace {

std::optional<std::string> capture_value(const report::ReportReader& reader,
                                         std::string_view name) {
  if (!reader.has_table("META_DATA_CAPTURE")) return std::nullopt;
  std::optional<std::string> value;
  const base::Status read = for_each_row(
      reader, "SELECT value FROM META_DATA_CAPTURE WHERE name = " + report::quoted_text(name),
      [&](const report::Statement& row) { value = row.text(0); });
  if (!read) reader.note(read.error());
  return value;
}

// Intervals above 1e9 ns (one second) are rejected, so that the time of all samples fits into 64
// bits.
constexpr std::int64_t kSecond = 1'000'000'000;

std::optional<std::int64_t> capture_number(const report::ReportReader& reader,
                                           std::string_view name) {
  const auto text = capture_value(reader, name);
  if (!text) return std::nullopt;
  std::int64_t value = 0;
  const char* end = text->data() + text->size();
  const auto [stop, error] = std::from_chars(text->data(), end, value);
  const bool is_number = error == std::errc() && stop == end && value > 0 && value <= kSecond;
  return is_number ? std::optional(value) : std::nullopt;
}

}  // namespace

std::optional<std::int64_t> sampling_interval(const report::ReportReader& reader, SampleKind kind,
                                              const Samples& samples) {
  if (kind == SampleKind::kPython) return python_sampling_interval(reader);
  if (kind != SampleKind::kCpu) return std::nullopt;
  // If timers in the program took the samples, a sample's weight is the number of timer periods
  // that it stands for.
  if (const auto period = capture_number(reader, "SAMPLING_OPTIONS:TIMER_PERIOD_NS")) return period;
  if (!samples.of_clock) return std::nullopt;
  if (const auto frequency = capture_number(reader, "SAMPLING_OPTIONS:FREQUENCY"))
    return kSecond / *frequency;
  // nsys's period is in ns only with this trigger type. Otherwise it is a number of cycles.
  if (capture_value(reader, "LINUX_PERF_OPTIONS:CPU_IP_TRIGGER_TYPE") != "Software")
    return std::nullopt;
  return capture_number(reader, "LINUX_PERF_OPTIONS:SAMPLING_PERIOD");
}

std::optional<std::int64_t> python_sampling_interval(const report::ReportReader& reader) {
  const auto frequency = capture_number(reader, "PYTHON_SAMPLING_OPTIONS:FREQUENCY");
  return frequency ? std::optional(kSecond / *frequency) : std::nullopt;
}

std::int64_t sampled_time(std::int64_t weight, std::int64_t interval) {
  constexpr auto kLongest = std::numeric_limits<std::int64_t>::max();
  return weight > kLongest / interval ? kLongest : weight * interval;
}

}  // namespace prof::events
