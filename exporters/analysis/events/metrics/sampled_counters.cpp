#include "exporters/analysis/events/metrics/sampled_counters.hpp"

#include <fmt/format.h>

#include <charconv>

#include "exporters/analysis/events/event_tables.hpp"
#include "exporters/analysis/events/metrics/ftrace_types.hpp"
#include "exporters/analysis/events/metrics/gpu_metrics.hpp"
#include "exporters/analysis/events/rows.hpp"

namespace prof::events {

namespace {

constexpr const char* kGenericData = "GENERIC_EVENT_DATA";
constexpr const char* kGenericFields = "GENERIC_EVENT_TYPE_FIELDS";
constexpr const char* kGenericTypes = "GENERIC_EVENT_TYPES";
constexpr std::int64_t kGpuBits = 0xff;  // of typeId

// Splits "SMs Active [Throughput %]" into the name and the unit in brackets.
std::pair<std::string, std::string> split_unit(const std::string& text) {
  const std::size_t open = text.rfind(" [");
  if (open == std::string::npos || !text.ends_with(']')) return {text, ""};
  return {text.substr(0, open), text.substr(open + 2, text.size() - open - 3)};
}

}  // namespace

std::optional<std::int64_t> gpu_of_group(const std::string& group) {
  if (!group.starts_with(kNvmlGroup)) return std::nullopt;
  std::int64_t gpu = 0;
  const char* end = group.data() + group.size();
  const auto [stop, error] = std::from_chars(group.data() + kNvmlGroup.size(), end, gpu);
  return error == std::errc() ? std::optional(gpu) : std::nullopt;
}

base::Result<SampledCounters> SampledCounters::read(const report::ReportReader& reader) {
  SampledCounters counters;
  if (base::Status read = counters.read_gpu_metrics(reader); !read)
    return tl::make_unexpected(read.error());
  if (base::Status read = counters.read_generic(reader); !read)
    return tl::make_unexpected(read.error());
  return counters;
}

base::Status SampledCounters::read_gpu_metrics(const report::ReportReader& reader) {
  if (!reader.has_column(kGpuMetricNames, "metricName")) return {};
  return for_each_row(reader,
                      fmt::format("SELECT typeId, metricId, metricName FROM {}", kGpuMetricNames),
                      [&](const report::Statement& row) {
                        auto [name, unit] = split_unit(std::string(row.text(2)));
                        counters_[{row.integer(0), row.integer(1)}].counter = {
                            "", row.integer(0) & kGpuBits, std::move(name), std::move(unit)};
                      });
}

// Only prof's reports have the column of units.
base::Status SampledCounters::read_generic(const report::ReportReader& reader) {
  if (!reader.has_table(kGenericData) || !reader.has_column(kGenericFields, "fieldNameId"))
    return {};
  const bool has_units = reader.has_column(kGenericFields, "unit");
  const bool has_names = reader.has_column(kGenericTypes, "nameId");
  const std::string group = fmt::format(
      "(SELECT value FROM {} AS type JOIN StringIds ON id = type.nameId "
      "WHERE type.typeId = field.typeId)",
      kGenericTypes);
  return for_each_row(
      reader,
      fmt::format("SELECT typeId, fieldIdx, (SELECT value FROM StringIds WHERE id = fieldNameId), "
                  "{}, {} FROM {} AS field",
                  has_units ? "unit" : "''", has_names ? group : "''", kGenericFields),
      [&](const report::Statement& row) {
        Known& known = counters_[{row.integer(0), row.integer(1)}];
        if (known.counter.gpu) return;  // nsys describes GPU metrics in this table, too
        auto [name, unit] = split_unit(std::string(row.text(2)));
        if (const std::string_view own = row.text(3); !own.empty()) unit = own;
        const std::string device(row.text(4));
        known.counter = {device, gpu_of_group(device), std::move(name), std::move(unit)};
      });
}

base::Status SampledCounters::visit(const report::ReportReader& reader, const Visit& visit_each) {
  if (reader.has_column(kGpuMetricTable, "metricId")) {
    base::Status read =
        visit(reader, {kGpuMetricTable, {"typeId", "metricId", "timestamp", "value"}}, visit_each);
    if (!read) return read;
  }
  return visit_generic(reader, visit_each);
}

base::Status SampledCounters::visit_generic(const report::ReportReader& reader,
                                            const Visit& visit_each, Span span) {
  if (!reader.has_table(kGenericData) || !reader.has_table(kGenericEventTable)) return {};
  report::TableQuery query{
      kGenericData,
      {"typeId", "fieldIdx", "timestamp",
       report::ScanColumn::expression("COALESCE(intVal, uintVal, floatVal, doubleVal)")}};
  query.ignores_filter = span == Span::kWholeReport;
  query.rest =
      fmt::format("AS data JOIN {}{} AS event ON event.genericEventId = data.genericEventId",
                  query.ignores_filter ? "main." : "", kGenericEventTable);
  if (const std::string is_ftrace = is_ftrace_type(reader, "event.typeId"); !is_ftrace.empty())
    query.rest += " AND NOT " + is_ftrace;
  return visit(reader, query, visit_each);
}

base::Status SampledCounters::visit(const report::ReportReader& reader,
                                    const report::TableQuery& query, const Visit& visit_each) {
  std::int64_t faulty = 0;
  const base::Status read = report::scan(reader, query, [&](const report::Row& row) {
    const std::int64_t time = row.integer_or(2, INT64_MAX);
    if (time < -kMaxTime || time > kMaxTime) {
      ++faulty;
      return;
    }
    const std::int64_t type = row.integer(0);
    Known& known = counters_[{type, row.integer(1)}];
    if (known.number == SIZE_MAX) {
      known.number = numbers_++;
      SampledCounter& counter = known.counter;
      counter.type_id = type;
      counter.index = row.integer(1);
      if (counter.name.empty()) {
        counter.name = fmt::format("metric {}", row.integer(1));
        if (query.table == kGpuMetricTable) counter.gpu = type & kGpuBits;
      }
    }
    visit_each(known.counter, known.number, time, row.real(3));
  });
  if (faulty > 0) reader.note_faulty("samples of counters", faulty);
  return read;
}

}  // namespace prof::events
