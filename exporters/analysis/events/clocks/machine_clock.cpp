#include "exporters/analysis/events/clocks/machine_clock.hpp"

#include <cstdlib>
#include <string_view>

#include "exporters/analysis/events/rows.hpp"

namespace prof::events {

base::Result<std::optional<MachineClock>> read_machine_clock(const report::ReportReader& reader) {
  constexpr const char* kTable = "PROF_CLOCKS";
  std::optional<MachineClock> clock;
  for (const char* column : {"bootId", "monotonicRaw", "time", "namespaceShift"})
    if (!reader.has_column(kTable, column)) return clock;
  const base::Status read = for_each_row(
      reader, "SELECT bootId, monotonicRaw, time, namespaceShift FROM main.PROF_CLOCKS LIMIT 1",
      [&](const report::Statement& row) {
        const std::int64_t origin = row.integer(1) - row.integer(2) - row.integer(3);
        const std::string_view boot = row.text(0).substr(0, report::kMaxTextBytes);
        if (std::abs(origin) <= kMaxTime && !boot.empty())
          clock = MachineClock{std::string(boot), origin};
      });
  if (!read) return tl::make_unexpected(read.error());
  return clock;
}

}  // namespace prof::events
