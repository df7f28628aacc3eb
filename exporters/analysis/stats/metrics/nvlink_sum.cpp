// nvlink_sum: bytes and rates over NVLink, by NVML's counters, and shares of the peak, by GPU
// metrics.
#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "exporters/analysis/events/metrics/gpu_metrics.hpp"
#include "exporters/analysis/stats/catalog.hpp"
#include "exporters/analysis/stats/metrics/byte_sums.hpp"

namespace prof::stats {

using tables::CellKind;

namespace {

// Use in percent of the peak, of all kinds of packets together.
struct PeakShare {
  std::int64_t samples = 0;
  double sum = 0;
  double maximum = 0;

  void add(double percent) {
    ++samples;
    sum += percent;
    maximum = std::max(maximum, percent);
  }
};

struct LinkUse {
  ByteSum bytes;
  PeakShare share;
};

// Uses by number of the GPU and "NVLink TX" or "NVLink RX".
using LinkUses = std::map<std::pair<std::int64_t, std::string>, LinkUse>;

constexpr const char* kDirections[] = {"NVLink TX", "NVLink RX"};

base::Status add_bytes(const report::ReportReader& reader, LinkUses& uses) {
  const auto series =
      events::read_counter_series(reader, [](const events::SampledCounter& counter) {
        return counter.gpu && (counter.name == kDirections[0] || counter.name == kDirections[1]);
      });
  if (!series) return tl::make_unexpected(series.error());
  for (const events::CounterSeries& each : *series)
    uses[{*each.counter.gpu, each.counter.name}].bytes = sum_of_bytes(each);
  return {};
}

base::Status add_shares(const report::ReportReader& reader, LinkUses& uses) {
  const auto gpus = events::read_metered_gpus(reader);
  if (!gpus) return tl::make_unexpected(gpus.error());
  return events::for_each_metric_sample(reader, *gpus, [&](const events::MetricSample& sample) {
    const events::MeteredGpu& gpu = (*gpus)[sample.gpu];
    for (const char* direction : kDirections) {
      double percent = 0;
      bool any = false;
      for (std::size_t i = 0; i < sample.values.size(); ++i) {
        const events::GpuMetric& metric = gpu.metrics[i];
        if (sample.values[i] == events::kNoValue || !metric.is_percent() ||
            !metric.name.starts_with(direction))
          continue;
        percent += static_cast<double>(sample.values[i]);
        any = true;
      }
      if (any) uses[{gpu.id(), direction}].share.add(percent);
    }
  });
}

}  // namespace

base::Result<tables::Table> nvlink_sum(const report::ReportReader& reader, const Arguments&) {
  LinkUses uses;
  base::Status read = add_bytes(reader, uses);
  if (read) read = add_shares(reader, uses);
  if (!read) return tl::make_unexpected(read.error());
  tables::Table table{byte_columns(), {}};
  table.columns.push_back({"Avg of Peak (%)", CellKind::kReal, 1});
  table.columns.push_back({"Max of Peak (%)", CellKind::kReal, 1});
  table.columns.push_back({"Direction", CellKind::kText});
  table.columns.push_back({"GPU", CellKind::kInteger});
  for (const auto& [key, use] : uses) {
    const auto& [gpu, direction] = key;
    if (use.bytes.samples == 0 && use.share.samples == 0) continue;
    auto cells = byte_cells(use.bytes);
    cells.resize(5);
    if (use.share.samples > 0) {
      cells[3] = use.share.sum / static_cast<double>(use.share.samples);
      cells[4] = use.share.maximum;
    }
    cells.insert(cells.end(), {direction == kDirections[0] ? "sent" : "received", gpu});
    table.rows.push_back(std::move(cells));
  }
  return table;
}

}  // namespace prof::stats
