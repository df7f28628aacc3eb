// cuda_api_sum: CUDA API calls by function.
#include "exporters/stats/catalog.hpp"
#include "exporters/stats/duration_summary.hpp"
#include "exporters/stats/events/api_calls.hpp"
#include "exporters/stats/events/rows.hpp"
#include "exporters/stats/events/strings.hpp"

namespace prof::stats {

base::Result<Table> cuda_api_sum(const report::ReportReader& reader, const Arguments&) {
  DurationGroups<std::int64_t> groups;
  const base::Status read = for_each_event(
      reader, kApiTable, "nameId", kWhereApiCall, [&](const Times& times, const report::Row& row) {
        groups.add(row.integer_or(0, Strings::kNone), times.duration());
      });
  if (!read) return tl::make_unexpected(read.error());
  Strings strings(reader);
  return summary_table(groups, "Num Calls", {"Name"}, [&](std::int64_t name) {
    return std::vector<std::string>{std::string(without_version(strings.text(name)))};
  });
}

}  // namespace prof::stats
