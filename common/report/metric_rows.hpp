// Rows of sampled counters. docs/schema.md, Metrics, explains their ids.
#pragma once

#include "common/report/rows.hpp"

namespace prof::report {

struct GpuMetricRow {
  std::int64_t start;
  std::int64_t type_id;
  std::int32_t metric_id;
  std::int64_t value;
};
template <>
struct RowTraits<GpuMetricRow> {
  static constexpr const char* kTable = "GPU_METRICS";
  static constexpr auto kColumns =
      columns<GpuMetricRow>(&GpuMetricRow::start, &GpuMetricRow::start, &GpuMetricRow::type_id,
                            &GpuMetricRow::metric_id, &GpuMetricRow::value);
};

struct GenericEventRow {
  std::int64_t id;
  std::int64_t start;
  std::int64_t type_id;
  std::int64_t global_tid;
};
template <>
struct RowTraits<GenericEventRow> {
  static constexpr const char* kTable = "GENERIC_EVENTS";
  static constexpr auto kColumns = columns<GenericEventRow>(
      &GenericEventRow::id, &GenericEventRow::start, &GenericEventRow::start,
      &GenericEventRow::type_id, &GenericEventRow::global_tid, kNullColumn);
};

// The columns of a value, in the order of the table. A row has one of them.
enum class GenericValueColumn : unsigned { kInteger, kUnsigned, kFloat, kDouble };

struct GenericValueRow {
  std::int64_t event;  // GenericEventRow::id
  std::int32_t field;
  std::int64_t integer = 0;  // an integer, of any of its two columns
  double real = 0;           // a floating-point number, of any of its two columns
  std::uint32_t nulls;

  static constexpr std::uint32_t nulls_without(GenericValueColumn column);
};
template <>
struct RowTraits<GenericValueRow> {
  static constexpr const char* kTable = "GENERIC_EVENT_DATA";
  static constexpr auto kColumns = columns<GenericValueRow>(
      &GenericValueRow::event, &GenericValueRow::field, &GenericValueRow::integer,
      &GenericValueRow::integer, &GenericValueRow::real, &GenericValueRow::real);
};

constexpr std::uint32_t GenericValueRow::nulls_without(GenericValueColumn column) {
  constexpr std::uint32_t kFirst = null_bits<GenericValueRow>(&GenericValueRow::integer);
  return 15 * kFirst & ~(kFirst << static_cast<unsigned>(column));
}

}  // namespace prof::report
