// osrt_short_sum: OS-runtime calls below --osrt-threshold, by function.
#include "exporters/analysis/stats/calls/osrt_short_sum.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <vector>

#include "exporters/analysis/events/event_tables.hpp"
#include "exporters/analysis/events/rows.hpp"
#include "exporters/analysis/events/strings.hpp"
#include "exporters/analysis/events/sums.hpp"
#include "exporters/analysis/stats/catalog.hpp"
#include "exporters/analysis/tables/cell_text.hpp"
#include "exporters/analysis/tables/percent.hpp"
#include "exporters/analysis/tables/readable_units.hpp"

namespace prof::stats {

using tables::CellKind;

namespace {

struct Sum {
  std::int64_t calls = 0;
  std::int64_t time = 0;
  std::int64_t threads = 0;

  void add(std::int64_t more_calls, std::int64_t more_time) {
    calls = events::sum(calls, more_calls);
    time = events::sum(time, more_time);
    ++threads;
  }
};

using Sums = std::unordered_map<std::int64_t, Sum>;  // by StringIds.id

base::Result<Sums> read_sums(const report::ReportReader& reader) {
  Sums sums;
  std::int64_t faulty = 0;
  const base::Status read =
      report::scan(reader, {events::kShortCallTable, {"nameId", "calls", "duration"}},
                   [&](const report::Row& row) {
                     const std::int64_t calls = row.integer_or(1, -1);
                     const std::int64_t time = row.integer_or(2, -1);
                     if (calls < 0 || time < 0)
                       ++faulty;
                     else
                       sums[row.integer_or(0, events::Strings::kNone)].add(calls, time);
                   });
  if (faulty > 0) reader.note_faulty(events::kShortCallTable, faulty);
  if (!read) return tl::make_unexpected(read.error());
  return sums;
}

// Returns the --osrt-threshold of the recording in ns: the shortest call that was recorded.
std::optional<std::int64_t> threshold_of(const report::ReportReader& reader) {
  if (!reader.has_column("META_DATA_CAPTURE", "value")) return std::nullopt;
  std::optional<std::int64_t> threshold;
  const base::Status read =
      events::for_each_row(reader,
                           "SELECT CAST(value AS INTEGER) FROM META_DATA_CAPTURE "
                           "WHERE name = 'OS_RUNTIME_OPTIONS:DURATION_THRESHOLD_NS'",
                           [&](const report::Statement& row) { threshold = row.integer(0); });
  if (!read) reader.note(read.error());
  return threshold;
}

std::string readable_time(std::int64_t ns) {
  return tables::readable_text(ns, tables::Measure::kDuration).value_or("");
}

}  // namespace

base::Result<std::string> short_calls_note(const report::ReportReader& reader) {
  if (!reader.has_table(events::kShortCallTable)) return std::string();
  const auto sums = read_sums(reader);
  if (!sums) return tl::make_unexpected(sums.error());
  Sum all;
  for (const auto& [name, sum] : *sums) all.add(sum.calls, sum.time);
  if (all.calls == 0) return std::string();
  std::string text;
  tables::add_grouped_text(text, all.calls, {"", CellKind::kInteger});
  text += all.calls == 1 ? " shorter call" : " shorter calls";
  if (const auto threshold = threshold_of(reader))
    text += fmt::format(" (below {})", readable_time(*threshold));
  return text + fmt::format(" took {} more: prof stats -r osrt_short_sum", readable_time(all.time));
}

base::Result<tables::Table> osrt_short_sum(const report::ReportReader& reader, const Arguments&) {
  const auto sums = read_sums(reader);
  if (!sums) return tl::make_unexpected(sums.error());
  std::int64_t total = 0;
  for (const auto& [name, sum] : *sums) total = events::sum(total, sum.time);
  tables::Table table{{{"Time (%)", CellKind::kReal, 1},
                       {"Total Time (ns)", CellKind::kInteger},
                       {"Num Calls", CellKind::kInteger},
                       {"Avg (ns)", CellKind::kReal, 1},
                       {"Threads", CellKind::kInteger},
                       {"Name", CellKind::kText}},
                      {}};
  events::Strings strings(reader);
  for (const auto& [name, sum] : *sums)
    if (sum.calls > 0)
      table.rows.push_back({tables::percent(sum.time, total), sum.time, sum.calls,
                            static_cast<double>(sum.time) / static_cast<double>(sum.calls),
                            sum.threads, strings.text(name)});
  std::ranges::sort(table.rows, [](const auto& a, const auto& b) {
    return a[1] != b[1] ? a[1] > b[1] : a.back() < b.back();
  });
  return table;
}

}  // namespace prof::stats
