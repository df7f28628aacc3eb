// Samples of counters for the report.
#pragma once

#include <functional>
#include <vector>

#include "collector/metrics/counter_reader.hpp"
#include "collector/metrics/polling_thread.hpp"

namespace prof::metrics {

// How the report shows a sum that only rises.
enum class TotalsAs : std::uint8_t {
  kRates,        // per second, since the sample before
  kDifferences,  // since the sample before
  kSums,         // since the first sample
};

// Returns the value of one counter from two readings that are `seconds` apart; NaN if it has none.
double derived_value(const CounterKind& kind, TotalsAs totals, double first, double before,
                     double now, double seconds);
// Returns the counter's description in the report.
spool::Counter described(const CounterKind& kind, TotalsAs totals);

class CounterSource final : public PolledSource {
 public:
  // Makes the readers, on the thread that samples. If it makes none, it adds a remark that says
  // why.
  using Open = std::function<CounterReaders(MetricBuffer&)>;
  CounterSource(Open make_readers, TotalsAs totals)
      : make_readers_(std::move(make_readers)), totals_(totals) {}

  bool open(MetricBuffer& buffer) override;
  bool sample(MetricBuffer& buffer) override;

 private:
  struct Entry {
    std::unique_ptr<CounterReader> reader;
    std::uint32_t group = 0;
    std::vector<double> first, before, now, kept;
    std::uint64_t time = 0;  // time of the sample before; 0: none
  };
  void keep(MetricBuffer& buffer, Entry& entry, std::uint64_t time);

  Open make_readers_;
  TotalsAs totals_;
  std::vector<Entry> entries_;
};

}  // namespace prof::metrics
