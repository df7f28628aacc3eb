#include "exporters/analysis/tables/time_unit.hpp"

#include <algorithm>
#include <array>

namespace prof::tables {

namespace {

constexpr std::string_view kNanosecondsMark = "(ns)";

struct PrintedUnit {
  TimeUnit unit;
  std::array<std::string_view, 3> names;  // the first name is used in headings
  double nanoseconds;
  int decimals;  // nsys prints milliseconds with 4 decimals; seconds need 7 for the same precision
};

constexpr PrintedUnit kPrintedUnits[] = {
    {TimeUnit::kNanoseconds, {"ns", "nsec", "nanoseconds"}, 1, 0},
    {TimeUnit::kMicroseconds, {"us", "usec", "microseconds"}, 1e3, 4},
    {TimeUnit::kMilliseconds, {"ms", "msec", "milliseconds"}, 1e6, 4},
    {TimeUnit::kSeconds, {"s", "sec", "seconds"}, 1e9, 7},
};

void convert(Cell& cell, double nanoseconds) {
  if (const auto* integer = std::get_if<std::int64_t>(&cell))
    cell = static_cast<double>(*integer) / nanoseconds;
  else if (const auto* real = std::get_if<double>(&cell))
    cell = *real / nanoseconds;
}

}  // namespace

std::optional<TimeUnit> time_unit(std::string_view name) {
  for (const PrintedUnit& unit : kPrintedUnits)
    if (std::find(unit.names.begin(), unit.names.end(), name) != unit.names.end()) return unit.unit;
  return std::nullopt;
}

void convert_times(Table& table, TimeUnit unit) {
  if (unit == TimeUnit::kNanoseconds) return;
  const PrintedUnit& chosen = kPrintedUnits[static_cast<std::size_t>(unit)];
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    ColumnSpec& column = table.columns[i];
    if (!column.header.ends_with(kNanosecondsMark) || column.kind == CellKind::kText) continue;
    column.header.resize(column.header.size() - kNanosecondsMark.size());
    column.header += '(' + std::string(chosen.names[0]) + ')';
    column.kind = CellKind::kReal;
    column.decimals = chosen.decimals;
    for (auto& row : table.rows) convert(row[i], chosen.nanoseconds);
  }
}

}  // namespace prof::tables
