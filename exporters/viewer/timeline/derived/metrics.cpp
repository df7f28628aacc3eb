// Shows curves of GPU metrics, of generic events and of the network.
#include <fmt/format.h>

#include <map>
#include <memory>
#include <utility>

#include "exporters/analysis/events/event_tables.hpp"
#include "exporters/analysis/events/metrics/ftrace_types.hpp"
#include "exporters/analysis/events/metrics/gpu_metrics.hpp"
#include "exporters/analysis/events/metrics/sampled_counters.hpp"
#include "exporters/analysis/events/rows.hpp"
#include "exporters/analysis/events/strings.hpp"
#include "exporters/viewer/timeline/derived/derived_rows.hpp"

namespace prof::timeline {

namespace {

using Pair = std::pair<std::int64_t, std::int64_t>;

bool is_valid(std::int64_t time) { return time >= -events::kMaxTime && time <= events::kMaxTime; }

DerivedRow curve(std::vector<Sample> samples, std::string table) {
  DerivedRow row;
  row.events = samples.size();
  std::vector<std::vector<Sample>> series;
  series.push_back(std::move(samples));
  row.data.counter = std::make_shared<const CounterLanes>(std::move(series));
  row.table = std::move(table);
  return row;
}

// Returns the unit in the brackets of "DRAM Read Bandwidth [Throughput %]".
std::string unit_of(const std::string& name) {
  const std::size_t open = name.rfind('[');
  if (open == std::string::npos || !name.ends_with(']')) return {};
  std::string unit = name.substr(open + 1, name.size() - open - 2);
  constexpr std::string_view kThroughput = "Throughput ";
  if (unit.starts_with(kThroughput)) unit.erase(0, kThroughput.size());
  return unit == "Avg" ? std::string() : unit;
}

// Samples by two numbers that identify a curve.
using Curves = std::map<Pair, std::vector<Sample>>;

base::Status read_gpu_curves(const report::ReportReader& reader, Curves& curves) {
  const report::TableQuery query{events::kGpuMetricTable,
                                 {"typeId", "metricId", "timestamp", "value"}};
  std::int64_t faulty = 0;
  Pair last_key;
  std::vector<Sample>* last = nullptr;
  const base::Status read = report::scan(reader, query, [&](const report::Row& row) {
    const std::int64_t time = row.integer_or(2, INT64_MAX);
    if (!is_valid(time)) {
      ++faulty;
      return;
    }
    const Pair key(row.integer(0), row.integer(1));
    if (last == nullptr || key != last_key) last = &curves[key];
    last_key = key;
    last->push_back({time, row.real(3)});
  });
  if (faulty > 0) reader.note_faulty(query.table, faulty);
  return read;
}

std::map<Pair, std::string> texts(const report::ReportReader& reader, const std::string& table,
                                  const std::string& first, const std::string& second,
                                  const std::string& text) {
  std::map<Pair, std::string> result;
  if (!reader.has_column(table, first) || !reader.has_column(table, second)) return result;
  const base::Status read = events::for_each_row(
      reader, fmt::format("SELECT {}, {}, {} FROM {}", first, second, text, table),
      [&](const report::Statement& row) {
        result[{row.integer(0), row.integer(1)}] = row.text(2);
      });
  if (!read) reader.note(read.error());
  return result;
}

std::string name_or(const std::map<Pair, std::string>& names, const Pair& key, const char* what) {
  const auto at = names.find(key);
  return at == names.end() || at->second.empty() ? fmt::format("{} {}", what, key.second)
                                                 : at->second;
}

// Returns the number of the GPU in a typeId.
std::int64_t gpu_of(std::int64_t type) { return type & 0xff; }

}  // namespace

base::Status read_gpu_metrics(const DerivedContext& context, std::vector<DerivedRow>& rows) {
  const char* table = events::kGpuMetricTable;
  Curves curves;
  base::Status read = read_gpu_curves(context.reader, curves);
  const auto names =
      texts(context.reader, events::kGpuMetricNames, "typeId", "metricId", "metricName");
  for (auto& [key, samples] : curves) {
    const std::string name = name_or(names, key, "metric");
    rows.push_back(curve(std::move(samples), table));
    rows.back().unit = unit_of(name);
    rows.back().series = {name};
    rows.back().place = [key = key, name, report = context.report](RowTree& tree) {
      const RowId group = tree.row_below(tree.gpu_by_id(report, gpu_of(key.first)), RowKind::kGroup,
                                         RowStyle::kDensity, "GPU metrics");
      return tree.row_below(group, RowKind::kMetric, RowStyle::kCounter, name, key.second);
    };
  }
  return read;
}

base::Status read_network_metrics(const DerivedContext& context, std::vector<DerivedRow>& rows) {
  const auto names =
      texts(context.reader, "TARGET_INFO_NETWORK_METRICS", "metricsListId", "metricsIdx", "name");
  for (const char* table : {"NET_NIC_METRIC", "NET_IB_SWITCH_METRIC"}) {
    if (!context.reader.has_column(table, "metricsIdx")) continue;
    // The curves of each port, one for each metric.
    std::map<Pair, Curves> devices;
    const base::Status read = report::scan(
        context.reader,
        {table, {"globalId", "portId", "metricsListId", "metricsIdx", "start", "value"}},
        [&](const report::Row& row) {
          const std::int64_t time = row.integer_or(4, INT64_MAX);
          if (is_valid(time))
            devices[{row.integer(0), row.integer(1)}][{row.integer(2), row.integer(3)}].push_back(
                {time, row.real(5)});
        });
    if (!read) return read;
    for (auto& [device, curves] : devices)
      for (auto& [key, samples] : curves) {
        rows.push_back(curve(std::move(samples), table));
        const std::string name = name_or(names, key, "metric");
        rows.back().series = {name};
        rows.back().place = [device = device, name, key = key,
                             report = context.report](RowTree& tree) {
          const RowId group = tree.row_below(
              tree.others(report), RowKind::kGroup, RowStyle::kDensity,
              fmt::format("Network device {:x}, port {}", device.first, device.second));
          return tree.row_below(group, RowKind::kMetric, RowStyle::kCounter, name, key.second);
        };
      }
  }
  return {};
}

namespace {

// Returns the row of a group. Counters of "NVML GPU 1 state" are below GPU 1, in the group "NVML
// state".
RowId generic_group(RowTree& tree, std::uint32_t report, const std::string& type,
                    std::int64_t number) {
  const auto below = [&](RowId parent, const std::string& name) {
    return tree.row_below(parent, RowKind::kGroup, RowStyle::kDensity, name, number);
  };
  const auto gpu = events::gpu_of_group(type);
  if (!gpu) return below(tree.others(report), type.empty() ? "Counters" : type);
  const std::size_t rest = type.find_first_not_of("0123456789", events::kNvmlGroup.size());
  return below(tree.gpu_by_id(report, *gpu),
               rest == std::string::npos ? "NVML" : "NVML" + type.substr(rest));
}

// Adds the curve of field `index` of the group `type_id` with this name.
void add_generic(const DerivedContext& context, std::vector<Sample> samples, std::string name,
                 std::string unit, std::string group, const Pair& key,
                 std::vector<DerivedRow>& rows) {
  rows.push_back(curve(std::move(samples), events::kGenericEventTable));
  rows.back().series = {name};
  rows.back().unit = std::move(unit);
  rows.back().place = [key, name = std::move(name), report = context.report,
                       group = std::move(group)](RowTree& tree) {
    return tree.row_below(generic_group(tree, report, group, key.first), RowKind::kMetric,
                          RowStyle::kCounter, name, key.second);
  };
}

base::Status read_generic_data(const DerivedContext& context, std::vector<DerivedRow>& rows) {
  auto counters = events::SampledCounters::read(context.reader);
  if (!counters) return tl::make_unexpected(counters.error());
  std::vector<std::pair<const events::SampledCounter*, std::vector<Sample>>>
      curves;  // by number of the counter
  const base::Status read = counters->visit_generic(
      context.reader, [&](const events::SampledCounter& counter, std::size_t number,
                          std::int64_t time, double value) {
        if (number == curves.size()) curves.push_back({&counter, {}});
        curves[number].second.push_back({time, value});
      });
  for (auto& [counter, samples] : curves)
    add_generic(context, std::move(samples), counter->name, counter->unit, counter->device,
                {counter->type_id, counter->index}, rows);
  return read;
}

}  // namespace

base::Status read_generic_events(const DerivedContext& context, std::vector<DerivedRow>& rows) {
  const report::ReportReader& reader = context.reader;
  if (reader.has_table("GENERIC_EVENT_DATA")) return read_generic_data(context, rows);
  if (!reader.has_column(events::kGenericEventTable, "data")) return {};
  // Older exports have the fields as JSON. Their names are numbered in this function.
  Curves curves;
  std::map<std::string, std::int64_t> numbers;
  std::map<Pair, std::string> names;
  const std::string is_ftrace = events::is_ftrace_type(reader, "typeId");
  const base::Status read = events::for_each_row(
      reader,
      "SELECT typeId, key, timestamp, CAST(value AS REAL) FROM GENERIC_EVENTS, json_each(data) "
      "WHERE json_valid(data) AND typeof(timestamp) = 'integer'" +
          (is_ftrace.empty() ? "" : " AND NOT " + is_ftrace),
      [&](const report::Statement& row) {
        if (!is_valid(row.integer(2))) return;
        const std::string name(row.text(1));
        const auto next = static_cast<std::int64_t>(numbers.size());
        const Pair key(row.integer(0), numbers.try_emplace(name, next).first->second);
        names.try_emplace(key, name);
        curves[key].push_back({row.integer(2), row.real(3)});
      });
  for (auto& [key, samples] : curves)
    add_generic(context, std::move(samples), names[key], unit_of(names[key]), "", key, rows);
  return read;
}

}  // namespace prof::timeline
