// Curves of GPU metrics, of generic events and of the network.
#include <fmt/format.h>

#include <charconv>
#include <map>
#include <memory>
#include <tuple>
#include <utility>

#include "exporters/events/rows.hpp"
#include "exporters/events/strings.hpp"
#include "exporters/timeline/derived/derived_rows.hpp"

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

// "DRAM Read Bandwidth [Throughput %]": the unit is what is in brackets.
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

// Reads "key, key, time, value" of a table or a join.
base::Status read_curves(const report::ReportReader& reader, const std::string& columns,
                         const std::string& source, const std::string& table, Curves& curves) {
  std::int64_t faulty = 0;
  Pair last_key;
  std::vector<Sample>* last = nullptr;
  const base::Status read = report::scan(reader, columns, source, [&](const report::Row& row) {
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
  if (faulty > 0) reader.note_faulty(table, faulty);
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

// The number of the GPU in a typeId.
std::int64_t gpu_of(std::int64_t type) { return type & 0xff; }

}  // namespace

base::Status read_gpu_metrics(const DerivedContext& context, std::vector<DerivedRow>& rows) {
  const char* table = "GPU_METRICS";
  Curves curves;
  base::Status read =
      read_curves(context.reader, "typeId, metricId, timestamp, value", table, table, curves);
  const auto names =
      texts(context.reader, "TARGET_INFO_GPU_METRICS", "typeId", "metricId", "metricName");
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
    // A curve for each metric of each port.
    std::map<Pair, Curves> devices;
    const base::Status read = report::scan(
        context.reader, "globalId, portId, metricsListId, metricsIdx, start, value", table,
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

// What describes generic events, by type and number of the field.
struct GenericNames {
  std::map<Pair, std::string> fields;
  std::map<Pair, std::string> units = {};          // only prof's reports have them
  std::map<std::int64_t, std::string> types = {};  // "NVML GPU 0"; nsys's have no names
};

GenericNames generic_names(const report::ReportReader& reader) {
  constexpr const char* kFields = "GENERIC_EVENT_TYPE_FIELDS";
  GenericNames names{texts(reader, kFields, "typeId", "fieldIdx",
                           "(SELECT value FROM StringIds WHERE id = fieldNameId)")};
  if (reader.has_column(kFields, "unit"))
    names.units = texts(reader, kFields, "typeId", "fieldIdx", "unit");
  for (const auto& [key, name] : texts(reader, "GENERIC_EVENT_TYPES", "typeId", "nameId",
                                       "(SELECT value FROM StringIds WHERE id = nameId)"))
    names.types[key.first] = name;
  return names;
}

// Counters of "NVML GPU 1 state" are below GPU 1, in the group "NVML state".
RowId generic_group(RowTree& tree, std::uint32_t report, const std::string& type,
                    std::int64_t number) {
  constexpr std::string_view kStart = "NVML GPU ";
  const auto below = [&](RowId parent, const std::string& name) {
    return tree.row_below(parent, RowKind::kGroup, RowStyle::kDensity, name, number);
  };
  if (!type.starts_with(kStart))
    return below(tree.others(report), type.empty() ? "Counters" : type);
  std::int64_t gpu = 0;
  const char* end = type.data() + type.size();
  const auto [rest, error] = std::from_chars(type.data() + kStart.size(), end, gpu);
  if (error != std::errc()) return below(tree.others(report), type);
  return below(tree.gpu_by_id(report, gpu), "NVML" + std::string(rest, end));
}

void add_generic(const DerivedContext& context, Curves curves, const GenericNames& names,
                 std::vector<DerivedRow>& rows) {
  for (auto& [key, samples] : curves) {
    const std::string name = name_or(names.fields, key, "field");
    const auto type = names.types.find(key.first);
    const auto unit = names.units.find(key);
    rows.push_back(curve(std::move(samples), "GENERIC_EVENTS"));
    rows.back().series = {name};
    rows.back().unit = unit == names.units.end() ? unit_of(name) : unit->second;
    rows.back().place = [key = key, name, report = context.report,
                         group = type == names.types.end() ? "" : type->second](RowTree& tree) {
      return tree.row_below(generic_group(tree, report, group, key.first), RowKind::kMetric,
                            RowStyle::kCounter, name, key.second);
    };
  }
}

}  // namespace

base::Status read_generic_events(const DerivedContext& context, std::vector<DerivedRow>& rows) {
  const report::ReportReader& reader = context.reader;
  Curves curves;
  if (reader.has_table("GENERIC_EVENT_DATA")) {
    base::Status read = read_curves(
        reader, "typeId, fieldIdx, timestamp, COALESCE(intVal, uintVal, floatVal, doubleVal)",
        "GENERIC_EVENT_DATA AS data JOIN GENERIC_EVENTS AS event ON event.rowid = "
        "data.genericEventId",
        "GENERIC_EVENTS", curves);
    add_generic(context, std::move(curves), generic_names(reader), rows);
    return read;
  }
  if (!reader.has_column("GENERIC_EVENTS", "data")) return {};
  // Older exports have the fields as JSON. Their names are numbered here.
  std::map<std::string, std::int64_t> numbers;
  std::map<Pair, std::string> names;
  const base::Status read = events::for_each_row(
      reader,
      "SELECT typeId, key, timestamp, CAST(value AS REAL) FROM GENERIC_EVENTS, json_each(data) "
      "WHERE json_valid(data) AND typeof(timestamp) = 'integer'",
      [&](const report::Statement& row) {
        if (!is_valid(row.integer(2))) return;
        const std::string name(row.text(1));
        const auto next = static_cast<std::int64_t>(numbers.size());
        const Pair key(row.integer(0), numbers.try_emplace(name, next).first->second);
        names.try_emplace(key, name);
        curves[key].push_back({row.integer(2), row.real(3)});
      });
  add_generic(context, std::move(curves), {std::move(names)}, rows);
  return read;
}

}  // namespace prof::timeline
