#include "exporters/analysis/stats/calls/text_sums.hpp"

#include <string>
#include <utility>
#include <vector>

#include "common/report/table_scan.hpp"
#include "exporters/analysis/events/rows.hpp"
#include "exporters/analysis/events/strings.hpp"

namespace prof::stats {

base::Status add_events(const report::ReportReader& reader, report::TableQuery query,
                        TextGroups& groups) {
  return events::for_each_event(
      reader, std::move(query), [&](const events::Times& times, const report::Row& row) {
        groups.add(row.integer_or(0, events::Strings::kNone), times.duration());
      });
}

ValueGroups named(const report::ReportReader& reader, TextGroups& groups, const char* missing) {
  events::Strings strings(reader, missing);
  return value_groups(groups, [&](std::int64_t text) {
    return std::vector<std::string>{std::string(strings.text(text))};
  });
}

base::Result<tables::Table> sum_by_text(const report::ReportReader& reader, const SumLayout& layout,
                                        report::TableQuery query) {
  TextGroups groups;
  if (const base::Status read = add_events(reader, std::move(query), groups); !read)
    return tl::make_unexpected(read.error());
  return table_of(layout, named(reader, groups));
}

}  // namespace prof::stats
