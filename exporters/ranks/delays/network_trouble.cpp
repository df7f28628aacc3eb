#include "exporters/ranks/delays/network_trouble.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <string_view>

#include "common/base/text/marked_name.hpp"
#include "exporters/analysis/events/metrics/counter_series.hpp"
#include "exporters/analysis/tables/visible_text.hpp"

namespace prof::ranks {

namespace {

bool has_one_of(std::string_view name, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(
      words, [&](std::string_view each) { return name.find(each) != std::string_view::npos; });
}

bool counts_losses(std::string_view name) {
  return has_one_of(name, {"drop", "discard", "err", "retrans", "timeout", "missed"});
}

bool counts_waits(std::string_view name) { return name.ends_with("_wait_ticks"); }

bool is_of_network(const events::SampledCounter& counter) {
  constexpr std::string_view kGroups[] = {"Network ", "InfiniBand ", "EFA "};
  return std::ranges::any_of(
             kGroups, [&](std::string_view each) { return counter.device.starts_with(each); }) &&
         (counts_losses(counter.name) || counts_waits(counter.name));
}

// Rates are recorded with a unit per second, differences and sums without.
double events_of(const events::CounterSeries& series, const insight::Intervals* times) {
  const bool is_rate = series.counter.unit.ends_with("/s");
  const bool is_sum =
      !is_rate && std::ranges::is_sorted(series.samples, {}, &events::CounterSample::value);
  double result = 0;
  for (std::size_t i = is_sum ? 1 : 0; i < series.samples.size(); ++i) {
    const events::CounterSample& each = series.samples[i];
    if (times != nullptr && insight::covered(*times, each.start, each.end) <= 0) continue;
    const double value = is_sum    ? each.value - series.samples[i - 1].value
                         : is_rate ? each.value * each.seconds()
                                   : each.value;
    if (value > 0) result += value;
  }
  return result;
}

}  // namespace

base::Result<NetworkTrouble> network_trouble(const report::ReportReader& reader,
                                             const insight::Intervals& times) {
  const auto series = events::read_counter_series(reader, is_of_network);
  if (!series) return tl::make_unexpected(series.error());
  NetworkTrouble result;
  double most = 0;
  for (const events::CounterSeries& each : *series) {
    const double count = events_of(each, &times);
    const bool is_loss = counts_losses(each.counter.name);
    (is_loss ? result.lost : result.waits) += count;
    if (is_loss) result.lost_in_all += events_of(each, nullptr);
    // Losses say more than waits.
    const double weight = is_loss ? count : count * 1e-9;
    if (std::round(count) < 1 || weight <= most) continue;
    most = weight;
    result.text = fmt::format(
        "{} counts {:.0f} {}", base::mark_name("device", tables::one_line(each.counter.device, 60)),
        count, base::mark_name("counter", tables::one_line(each.counter.name, 60)));
  }
  return result;
}

}  // namespace prof::ranks
