// osrt_sum: OS-runtime calls by function.
#include "exporters/events/event_tables.hpp"
#include "exporters/events/rows.hpp"
#include "exporters/events/strings.hpp"
#include "exporters/stats/catalog.hpp"
#include "exporters/stats/duration_summary.hpp"

namespace prof::stats {

base::Result<tables::Table> osrt_sum(const report::ReportReader& reader, const Arguments&) {
  DurationGroups<std::int64_t> groups;
  const base::Status read = events::for_each_event(
      reader, events::kOsrtTable, "nameId", events::kWhereOsrtCall,
      [&](const events::Times& times, const report::Row& row) {
        groups.add(row.integer_or(0, events::Strings::kNone), times.duration());
      });
  if (!read) return tl::make_unexpected(read.error());
  events::Strings strings(reader);
  return summary_table(groups, "Num Calls", {"Name"}, [&](std::int64_t name) {
    return std::vector<std::string>{strings.text(name)};
  });
}

}  // namespace prof::stats
