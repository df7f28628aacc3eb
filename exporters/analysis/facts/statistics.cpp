#include "exporters/analysis/facts/statistics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "exporters/analysis/events/api_calls.hpp"
#include "exporters/analysis/events/event_tables.hpp"
#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/events/memory/memory_changes.hpp"
#include "exporters/analysis/events/memory/memory_operations.hpp"
#include "exporters/analysis/events/metrics/counter_series.hpp"
#include "exporters/analysis/events/nvtx/nvtx_ranges.hpp"
#include "exporters/analysis/events/rows.hpp"
#include "exporters/analysis/facts/sums.hpp"
#include "exporters/analysis/operators/operator_model.hpp"

namespace prof::facts {

namespace {

constexpr const char* kEventTables[] = {events::kKernelTable,
                                        events::kMemcpyTable,
                                        events::kMemsetTable,
                                        events::kGraphTable,
                                        events::kApiTable,
                                        events::kOsrtTable,
                                        events::kSyscallTable,
                                        events::kNvtxTable,
                                        events::kCpuSampleTable,
                                        events::kPythonSampleTable,
                                        events::kPythonWaitTable,
                                        events::kSchedulingTable,
                                        events::kMemoryUsageTable,
                                        events::kPointToPointTable,
                                        events::kCollectiveTable,
                                        events::kFileEventTable,
                                        events::kPcSampleTable,
                                        events::kGenericEventTable,
                                        "GPU_METRICS"};

class StatisticReader {
 public:
  StatisticReader(const report::ReportReader& reader, Topic topic)
      : reader_(reader), topic_(topic) {}

  base::Result<std::vector<Statistic>> read() {
    const auto sums = sums_of(reader_, topic_);
    if (!sums) return tl::make_unexpected(sums.error());
    for (const Sum& each : *sums) {
      auto found = run_sum(reader_, each);
      if (!found) return found;
      std::ranges::move(*found, std::back_inserter(result_));
    }
    base::Status added;
    if (topic_ == Topic::kMemory) added = add_peaks();
    if (topic_ == Topic::kOperators) added = add_operators();
    if (topic_ == Topic::kClocks) added = add_clocks();
    if (topic_ == Topic::kRecord) added = add_record();
    if (!added) return tl::make_unexpected(added.error());
    return std::move(result_);
  }

 private:
  // Adds what the query gives: the value, and how many rows it is computed of.
  base::Status add(Statistic statistic, std::string sql) {
    bool is_known = false;
    const base::Status read = events::for_each_row(reader_, sql, [&](const report::Statement& row) {
      is_known = !row.is_null(0);
      statistic.value = row.integer(0);
      statistic.count = row.integer(1);
    });
    if (!read || !is_known) return read;
    statistic.topic = topic_;
    statistic.sql = std::move(sql);
    result_.push_back(std::move(statistic));
    return {};
  }

  // The most memory in use at a moment. SQL gives it if all releases are of known allocations.
  base::Status add_peaks() {
    struct Usage {
      std::int64_t now = 0;
      std::int64_t peak = 0;
      std::int64_t changes = 0;
    };
    std::map<events::MemoryKey, Usage> usages;
    if (!reader_.has_table(events::kMemoryUsageTable)) return {};
    const base::Status read =
        events::for_each_memory_change(reader_, [&](const events::MemoryChange& change) {
          Usage& usage = usages[change.key];
          usage.now += change.bytes;
          usage.peak = std::max(usage.peak, usage.now);
          ++usage.changes;
        });
    for (const auto& [key, usage] : usages) {
      Statistic each{topic_, "gpu_memory_peak", "B", Basis::kDerived, usage.peak, usage.changes};
      each.name = {"memory", events::memory_kind_name(key.kind)};
      each.pid = events::pid_of(key.global_pid);
      each.device = key.device;
      result_.push_back(std::move(each));
    }
    return read;
  }

  base::Status add_operators() {
    const auto model = operators::OperatorModel::read(reader_, events::RangeOf::kBoth);
    if (!model) return tl::make_unexpected(model.error());
    std::map<std::string, std::pair<std::int64_t, std::int64_t>> times;  // time and calls by name
    std::int64_t all = 0;
    for (const operators::OperatorCall& call : model->calls()) {
      const operators::Operator& each = model->operator_of(call);
      if (!each.is_known()) continue;
      auto& [time, calls] = times[each.name];
      time += call.gpu_time;
      all += call.gpu_time;
      ++calls;
    }
    std::vector<std::pair<std::string, std::pair<std::int64_t, std::int64_t>>> sorted(times.begin(),
                                                                                      times.end());
    std::ranges::stable_sort(sorted, std::greater(),
                             [](const auto& each) { return each.second.first; });
    Statistic others{topic_, "operator_time", "ns", Basis::kDerived, 0, 0};
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      const auto& [name, sum] = sorted[i];
      Statistic each = others;
      each.value = sum.first;
      each.count = sum.second;
      each.share = share(each.value, all);
      each.name = {"operator", name};
      each.other_names = 0;
      if (i < kMaxNames) {
        result_.push_back(std::move(each));
        continue;
      }
      others.value += sum.first;
      others.count += sum.second;
      ++others.other_names;
    }
    others.share = share(others.value, all);
    if (others.other_names > 0) result_.push_back(std::move(others));
    return {};
  }

  static double share(std::int64_t part, std::int64_t all) {
    return all > 0 ? static_cast<double>(part) / static_cast<double>(all) : 0;
  }

  base::Status add_clocks() {
    if (const base::Status added = add_metric_clocks(); !added) return added;
    constexpr double kMega = 1e6;
    const auto series = events::read_counter_series(
        reader_, [](const events::SampledCounter& each) { return each.name.ends_with(" Clock"); });
    if (!series) return tl::make_unexpected(series.error());
    for (const events::CounterSeries& each : *series) {
      double sum = 0;
      for (const events::CounterSample& sample : each.samples) sum += sample.value;
      const auto samples = static_cast<std::int64_t>(each.samples.size());
      const double mean = sum / static_cast<double>(samples);
      Statistic clock{topic_, "clock_mean", "Hz", Basis::kSampled, 0, samples};
      clock.value = std::llround(each.counter.unit == "MHz" ? mean * kMega : mean);
      clock.name = {"metric", each.counter.name};
      clock.gpu = each.counter.gpu;
      result_.push_back(std::move(clock));
    }
    return {};
  }

  // The clocks among the GPU metrics.
  base::Status add_metric_clocks() {
    if (!reader_.has_column("TARGET_INFO_GPU_METRICS", "metricName") ||
        !reader_.has_column("GPU_METRICS", "value"))
      return {};
    struct Metric {
      std::int64_t type;
      std::int64_t id;
      std::string name;
    };
    std::vector<Metric> metrics;
    const base::Status read = events::for_each_row(
        reader_,
        "SELECT DISTINCT typeId, metricId, metricName FROM TARGET_INFO_GPU_METRICS WHERE "
        "metricName LIKE '%Clock Frequency%' ORDER BY 1, 2",
        [&](const report::Statement& row) {
          metrics.push_back({row.integer(0), row.integer(1), std::string(row.text(2))});
        });
    if (!read) return read;
    for (const Metric& each : metrics) {
      constexpr std::int64_t kGpuBits = 0xff;
      Statistic clock{topic_, "clock_mean", "Hz", Basis::kSampled, 0, 0};
      clock.name = {"metric", each.name};
      clock.gpu = each.type & kGpuBits;
      const base::Status added =
          add(std::move(clock), fmt::format("SELECT CAST(round(avg(value)) AS INTEGER), count(*) "
                                            "FROM GPU_METRICS WHERE typeId = {} AND metricId = {}",
                                            each.type, each.id));
      if (!added) return added;
    }
    return {};
  }

  base::Status add_record() {
    if (reader_.has_column("ANALYSIS_DETAILS", "duration"))
      if (const base::Status added =
              add({topic_, "session_time"}, "SELECT max(duration), count(*) FROM ANALYSIS_DETAILS");
          !added)
        return added;
    if (reader_.has_table("PROCESSES"))
      if (const base::Status added =
              add({topic_, "processes", "1"}, "SELECT count(*), count(*) FROM PROCESSES");
          !added)
        return added;
    const auto first = static_cast<std::ptrdiff_t>(result_.size());
    for (const char* table : kEventTables) {
      if (!reader_.has_table(table)) continue;
      Statistic rows{topic_, "events", "1"};
      rows.table = table;
      const base::Status added =
          add(std::move(rows), fmt::format("SELECT count(*), count(*) FROM {}", table));
      if (!added) return added;
      if (result_.back().value == 0) result_.pop_back();
    }
    std::ranges::stable_sort(result_.begin() + first, result_.end(), std::greater(),
                             &Statistic::value);
    return {};
  }

  const report::ReportReader& reader_;
  Topic topic_;
  std::vector<Statistic> result_;
};

}  // namespace

base::Result<std::vector<Statistic>> statistics_of(const report::ReportReader& reader,
                                                   Topic topic) {
  return StatisticReader(reader, topic).read();
}

}  // namespace prof::facts
