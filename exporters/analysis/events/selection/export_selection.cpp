#include "exporters/analysis/events/selection/export_selection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "common/base/text/amounts.hpp"
#include "exporters/analysis/events/nvtx/nvtx_ranges.hpp"
#include "exporters/analysis/events/rows.hpp"
#include "exporters/analysis/events/selection/time_columns.hpp"

namespace prof::events {

namespace {

// The SQL condition that selects all rows.
constexpr const char* kAllRows = "1";

// Parses a time such as "1s2ms", which is the sum of its parts.
std::optional<std::int64_t> sum_of_times(std::string_view text) {
  double sum = 0;
  do {
    const auto part = base::take_duration(text);
    if (!part) return std::nullopt;
    sum += *part;
  } while (!text.empty());
  if (std::abs(sum) > static_cast<double>(kMaxTime)) return std::nullopt;
  return std::llround(sum);
}

bool is_left_out(std::string_view table, std::string_view column,
                 const ExportSelection& selection) {
  if (table != kNvtxTable) return false;
  if (!selection.json && (column == "jsonText" || column == "jsonTextId")) return true;
  return !selection.blobs && column == "binaryData";
}

// The columns with the start and the end of an event of the table.
struct Span {
  std::string start;
  std::string end;
};
std::optional<Span> span_of(const report::ReportReader& reader, std::string_view table) {
  constexpr std::pair<const char*, const char*> kSpans[] = {
      {"start", "end"}, {"startedAt", "endedAt"}, {"openedAt", "closedAt"}, {"timestamp", ""}};
  for (const auto& [start, end] : kSpans) {
    if (!reader.has_column(table, start)) continue;
    const bool has_end = *end != '\0' && reader.has_column(table, end);
    return Span{report::quoted(start),
                has_end
                    ? fmt::format("COALESCE({}, {})", report::quoted(end), report::quoted(start))
                    : report::quoted(start)};
  }
  return std::nullopt;
}

// Returns ClockMap::common() of a column in SQL.
std::string on_clock(const ClockMap& clock, const std::string& column) {
  const std::string shifted = fmt::format("{} + {}", column, clock.offset);
  if (clock.drift == 0) return shifted;
  return fmt::format("{} + CAST(round({:.17e} * ({} - {})) AS INTEGER)", shifted, clock.drift,
                     column, clock.middle);
}

std::string in_range(const Span& span, const TimeRange& range) {
  return fmt::format("({} >= {} AND {} <= {})", range.crosses_start ? span.end : span.start,
                     std::max(range.start, -kMaxTime), range.crosses_end ? span.start : span.end,
                     std::min(range.end, kMaxTime));
}

}  // namespace

base::Result<TimeRange> parse_time_range(std::string_view text) {
  const auto bad = base::fail(fmt::format(
      "bad time range {}: write [:]START/END[:], each a number with ns, us, ms or s", text));
  TimeRange range;
  std::string_view rest = text;
  if (rest.starts_with(':')) {
    range.crosses_start = true;
    rest.remove_prefix(1);
  }
  if (rest.ends_with(':')) {
    range.crosses_end = true;
    rest.remove_suffix(1);
  }
  const std::size_t slash = rest.find('/');
  if (slash == std::string_view::npos || rest.size() == 1) return bad;
  const auto take = [](std::string_view part, std::int64_t& target) {
    if (part.empty()) return true;
    const auto value = sum_of_times(part);
    if (value) target = *value;
    return value.has_value();
  };
  if (!take(rest.substr(0, slash), range.start) || !take(rest.substr(slash + 1), range.end))
    return bad;
  if (range.start > range.end)
    return base::fail(fmt::format("bad time range {}: it ends before it starts", text));
  return range;
}

std::vector<std::string> columns_of(const report::ReportReader& reader, std::string_view table) {
  std::vector<std::string> names;
  const base::Status read = for_each_row(
      reader,
      fmt::format("SELECT name FROM pragma_table_info({}, 'main')", report::quoted_text(table)),
      [&](const report::Statement& row) { names.emplace_back(row.text(0)); });
  if (!read) reader.note(read.error());
  return names;
}

bool is_whole(const report::ReportReader& reader, std::string_view table,
              const ExportSelection& selection) {
  if (selection == ExportSelection{}) return true;
  if (selected_rows(reader, table, selection) != kAllRows) return false;
  const std::vector<std::string> columns = columns_of(reader, table);
  return std::none_of(columns.begin(), columns.end(), [&](const std::string& column) {
    return is_left_out(table, column, selection) ||
           (selection.clock != ClockMap() && is_time_column(column));
  });
}

std::string selected_columns(const report::ReportReader& reader, std::string_view table,
                             const ExportSelection& selection) {
  std::string list;
  for (const std::string& column : columns_of(reader, table)) {
    const std::string name = report::quoted(column);
    list += list.empty() ? "" : ", ";
    if (is_left_out(table, column, selection))
      list += "NULL AS " + name;
    else if (selection.clock != ClockMap() && is_time_column(column))
      list += fmt::format("{} AS {}", on_clock(selection.clock, name), name);
    else
      list += name;
  }
  return list;
}

std::string selected_rows(const report::ReportReader& reader, std::string_view table,
                          const ExportSelection& selection) {
  if (selection.without.contains(std::string(table))) return "0";
  const auto span = span_of(reader, table);
  if (selection.times.empty() || !span) return kAllRows;
  std::vector<std::string> ranges;
  for (const TimeRange& range : selection.times) ranges.push_back(in_range(*span, range));
  const std::string condition = fmt::format("({})", fmt::join(ranges, " OR "));
  // Rows of other NVTX event types name domains, categories and threads, and are always exported.
  return table == kNvtxTable ? "(eventType NOT IN (34, 59, 60) OR " + condition + ")" : condition;
}

}  // namespace prof::events
