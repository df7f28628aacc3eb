#include "exporters/analysis/insight/metrics/power_curve.hpp"

#include <algorithm>
#include <map>

#include "exporters/analysis/events/metrics/counter_series.hpp"
#include "exporters/analysis/events/rows.hpp"

namespace prof::insight {

namespace {

using events::CounterSeries;
using events::SampledCounter;

constexpr double kMilli = 1e-3;

// True if the counter is the power of a GPU. nsys's counters have no device. A program's own
// counters may have any name, but they have a device.
bool is_power(const SampledCounter& counter) {
  return counter.name == "Power" && (counter.gpu || counter.device.empty());
}
bool is_energy(const SampledCounter& counter) {
  return counter.gpu && counter.name == "Energy" && counter.unit == "mJ";
}

// Returns the power between samples. The driver's value is a mean over the time before the sample.
std::vector<PowerCurve::Piece> pieces_of_power(const CounterSeries& power) {
  std::vector<PowerCurve::Piece> pieces;
  for (const events::CounterSample& each : power.samples)
    if (each.end > each.start) pieces.push_back({{each.start, each.end}, each.value});
  return pieces;
}

// Returns the power as the growth of the energy between samples. A time in which the counter was
// reset is left out.
std::vector<PowerCurve::Piece> pieces_of_energy(const CounterSeries& energy) {
  std::vector<PowerCurve::Piece> pieces;
  for (std::size_t i = 1; i < energy.samples.size(); ++i) {
    const auto& [start, before, last] = energy.samples[i - 1];
    const double joules = (energy.samples[i].value - last) * kMilli;
    const Interval time{before, energy.samples[i].end};
    if (joules >= 0 && time.length() > 0)
      pieces.push_back({time, joules / static_cast<double>(time.length()) * 1e9});
  }
  return pieces;
}

// Returns the id of the GPU if the report has only one: nsys does not say which GPU its power
// counter belongs to.
base::Result<std::optional<std::int64_t>> only_gpu(const report::ReportReader& reader) {
  std::vector<std::int64_t> gpus;
  if (reader.has_column("TARGET_INFO_GPU", "id")) {
    const base::Status read =
        events::for_each_row(reader, "SELECT id FROM TARGET_INFO_GPU",
                             [&](const report::Statement& row) { gpus.push_back(row.integer(0)); });
    if (!read) return tl::make_unexpected(read.error());
  }
  return gpus.size() == 1 ? std::optional(gpus.front()) : std::nullopt;
}

struct PowerAndEnergy {
  const CounterSeries* power = nullptr;
  const CounterSeries* energy = nullptr;
};

GpuPower power_of(std::optional<std::int64_t> gpu, const PowerAndEnergy& series) {
  GpuPower result{gpu, {}, {}, PowerCurve({})};
  std::vector<PowerCurve::Piece> pieces;
  if (series.power != nullptr) {
    for (const events::CounterSample& each : series.power->samples)
      result.watts.push_back(each.value);
    pieces = pieces_of_power(*series.power);
  }
  if (series.energy != nullptr) {
    auto metered = pieces_of_energy(*series.energy);
    if (!metered.empty()) result.metered = PowerCurve(metered).all();
    if (metered.size() + 1 >= pieces.size()) pieces = std::move(metered);
  }
  result.curve = PowerCurve(std::move(pieces));
  return result;
}

}  // namespace

Energy PowerCurve::over(const Interval& time) const {
  Energy sum;
  auto piece = std::partition_point(pieces_.begin(), pieces_.end(),
                                    [&](const Piece& each) { return each.time.end <= time.start; });
  for (; piece != pieces_.end() && piece->time.start < time.end; ++piece) {
    const std::int64_t shared =
        std::min(piece->time.end, time.end) - std::max(piece->time.start, time.start);
    sum += {shared, piece->watts * static_cast<double>(shared) / 1e9};
  }
  return sum;
}

Energy PowerCurve::over(const Intervals& times) const {
  Energy sum;
  for (const Interval& each : times) sum += over(each);
  return sum;
}

Energy PowerCurve::all() const {
  return pieces_.empty() ? Energy{} : over({pieces_.front().time.start, pieces_.back().time.end});
}

base::Result<std::vector<GpuPower>> read_gpu_power(const report::ReportReader& reader) {
  const auto series = events::read_counter_series(reader, [](const SampledCounter& counter) {
    return is_power(counter) || is_energy(counter);
  });
  if (!series) return tl::make_unexpected(series.error());
  std::map<std::int64_t, PowerAndEnergy> gpus;
  std::vector<PowerAndEnergy> unnamed;
  for (const CounterSeries& each : *series) {
    if (!each.counter.gpu)
      unnamed.push_back({&each, nullptr});
    else
      (is_power(each.counter) ? gpus[*each.counter.gpu].power : gpus[*each.counter.gpu].energy) =
          &each;
  }
  std::vector<GpuPower> result;
  for (const auto& [gpu, each] : gpus) result.push_back(power_of(gpu, each));
  const auto only = only_gpu(reader);
  if (!only) return tl::make_unexpected(only.error());
  const bool is_clear = gpus.empty() && unnamed.size() == 1;
  for (const PowerAndEnergy& each : unnamed)
    result.push_back(power_of(is_clear ? *only : std::nullopt, each));
  return result;
}

}  // namespace prof::insight
