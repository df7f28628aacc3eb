#include "exporters/analysis/events/selection/thinning.hpp"

#include <fmt/format.h>

#include <cstdint>

#include "exporters/analysis/events/rows.hpp"

namespace prof::events {

namespace {

// Returns the value of --max-overhead in percent, or a negative number if the option was not used.
double max_overhead(const report::ReportReader& reader) {
  constexpr double kPerPercent = 10'000;
  double share = -1;
  if (!reader.has_column("META_DATA_CAPTURE", "value")) return share;
  // Errors of a damaged table are ignored here, because the code that needs the table reports them.
  (void)for_each_row(reader,
                     "SELECT CAST(value AS INTEGER) FROM META_DATA_CAPTURE "
                     "WHERE name = 'PROF_OPTIONS:MAX_OVERHEAD_PPM'",
                     [&](const report::Statement& row) {
                       share = static_cast<double>(row.integer(0)) / kPerPercent;
                     });
  return share;
}

}  // namespace

std::string thinning_summary(const report::ReportReader& reader) {
  const double share = max_overhead(reader);
  if (share < 0) return {};
  std::string kinds;
  if (reader.has_table(kThinningTable)) {
    const base::Status read = for_each_row(
        reader,
        "SELECT s.value, SUM(t.events), SUM(t.events - t.recorded) FROM PROF_THINNING t "
        "JOIN StringIds s ON s.id = t.kindId GROUP BY s.value ORDER BY s.value DESC",
        [&](const report::Statement& row) {
          const auto events = static_cast<double>(row.integer(1));
          kinds += fmt::format("{}{} of {} {} ({:.1f} %)", kinds.empty() ? "" : " and ",
                               row.integer(2), row.integer(1), row.text(0),
                               events > 0 ? 100 * static_cast<double>(row.integer(2)) / events : 0);
        });
    if (!read) reader.note(read.error());
  }
  return kinds.empty() ? fmt::format("--max-overhead {:g}%: nothing was left out", share)
                       : fmt::format("--max-overhead {:g}%: left out {}", share, kinds);
}

}  // namespace prof::events
