#include "collector/metrics/counter_source.hpp"

#include <algorithm>
#include <cmath>

namespace prof::metrics {

namespace {

constexpr double kPercent = 100;
constexpr double kNanoseconds = 1e-9;

bool is_floating(spool::CounterType type) {
  return type == spool::CounterType::kFloat || type == spool::CounterType::kDouble;
}

spool::MetricValue value_of(const CounterKind& kind, double value) {
  if (is_floating(kind.type)) return value;
  return static_cast<std::int64_t>(std::llround(value));
}

bool are_same(const std::vector<double>& a, const std::vector<double>& b) {
  return std::ranges::equal(
      a, b, [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); });
}

}  // namespace

// A counter that is smaller than before was reset, or it wrapped around.
double derived_value(const CounterKind& kind, TotalsAs totals, double first, double before,
                     double now, double seconds) {
  if (kind.reading == Reading::kLevel) return now;
  if (kind.reading == Reading::kTotal && totals == TotalsAs::kSums) return now - first;
  const double difference = now - before;
  if (std::isnan(difference) || difference < 0 || seconds <= 0) return kNoValue;
  // The two clocks have different resolutions, so the time in a state can be a little longer than
  // the time between the samples.
  if (kind.reading == Reading::kTime) return std::min(kPercent * difference / seconds, kPercent);
  return totals == TotalsAs::kRates ? difference / seconds : difference;
}

spool::Counter described(const CounterKind& kind, TotalsAs totals) {
  const bool is_rate = kind.reading == Reading::kTotal && totals == TotalsAs::kRates;
  return {kind.name, kind.type,
          is_rate ? (kind.unit.empty() ? "1/s" : kind.unit + "/s") : kind.unit};
}

bool CounterSource::open(MetricBuffer& buffer) {
  for (auto& reader : make_readers_(buffer)) {
    const CounterGroup& group = reader->group();
    if (group.counters.empty()) continue;
    spool::MetricSourceNote note{.name = group.domain + " " + group.device};
    for (const CounterKind& each : group.counters)
      note.counters.push_back(described(each, totals_));
    const std::vector<double> nothing(group.counters.size(), kNoValue);
    entries_.push_back(
        {std::move(reader), buffer.define(std::move(note)), nothing, nothing, nothing, {}, 0});
  }
  return !entries_.empty();
}

bool CounterSource::sample(MetricBuffer& buffer) {
  std::erase_if(entries_, [&](Entry& entry) {
    const std::uint64_t before = now();
    const ReadOutcome outcome = entry.reader->read(entry.now);
    const std::uint64_t time = before + (now() - before) / 2;
    if (outcome == ReadOutcome::kGone) {
      const std::string loss = entry.reader->loss();
      if (!loss.empty()) buffer.remark(spool::Severity::kWarning, loss);
      return true;
    }
    keep(buffer, entry, time);
    return false;
  });
  return !entries_.empty();
}

void CounterSource::keep(MetricBuffer& buffer, Entry& entry, std::uint64_t time) {
  const auto& counters = entry.reader->group().counters;
  const double seconds =
      entry.time == 0 ? 0 : static_cast<double>(time - entry.time) * kNanoseconds;
  std::vector<double> derived(counters.size());
  std::vector<spool::MetricValue> values(counters.size());
  std::uint64_t missing = 0;
  for (std::size_t i = 0; i < counters.size(); ++i) {
    if (std::isnan(entry.first[i])) entry.first[i] = entry.now[i];
    derived[i] =
        derived_value(counters[i], totals_, entry.first[i], entry.before[i], entry.now[i], seconds);
    if (std::isnan(derived[i]))
      missing |= std::uint64_t{1} << i;
    else
      values[i] = value_of(counters[i], derived[i]);
  }
  entry.time = time;
  std::swap(entry.before, entry.now);
  const std::uint64_t all = ~std::uint64_t{0} >> (spool::kMaxCounters - counters.size());
  if (missing == all) return;
  if (entry.reader->group().only_changes && are_same(derived, entry.kept)) return;
  entry.kept = std::move(derived);
  buffer.add(entry.group, time, values, missing);
}

}  // namespace prof::metrics
