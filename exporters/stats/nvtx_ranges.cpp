#include "exporters/stats/nvtx_ranges.hpp"

#include <map>

#include "exporters/stats/global_ids.hpp"
#include "exporters/stats/rows.hpp"

namespace prof::stats {

namespace {

using DomainKey = std::pair<std::int64_t, std::int64_t>;  // globalTid without the thread, domainId

base::Result<std::map<DomainKey, std::string>> domain_names(const report::ReportReader& reader) {
  std::map<DomainKey, std::string> names;
  const base::Status read = for_each_row(
      reader,
      "SELECT globalTid, domainId, COALESCE(text, (SELECT value FROM StringIds WHERE id = textId)) "
      "FROM NVTX_EVENTS WHERE eventType = 75",
      [&](const report::Statement& row) {
        names[{process_of(row.integer(0)), row.integer(1)}] = row.text(2);
      });
  if (!read) return tl::make_unexpected(read.error());
  return names;
}

}  // namespace

const char* range_style(std::int64_t type) {
  return type == kPushPopRange ? "PushPop" : "StartEnd";
}

base::Status for_each_range(const report::ReportReader& reader,
                            const std::function<void(const NvtxRange&)>& visit) {
  const auto domains = domain_names(reader);
  if (!domains) return tl::make_unexpected(domains.error());
  std::string name;
  return for_each_event(
      reader, kNvtxTable,
      "eventType, globalTid, domainId, "
      "COALESCE(text, (SELECT value FROM StringIds WHERE id = textId), ''), "
      "rowid, COALESCE(endGlobalTid, globalTid) = globalTid",
      "WHERE eventType IN (59, 60) AND \"end\" IS NOT NULL",
      [&](const Times& times, const report::Statement& row) {
        name.clear();
        const auto domain = domains->find({process_of(row.integer(1)), row.integer(2)});
        if (domain != domains->end()) name = domain->second;
        name += ':';
        name += row.text(3);
        visit({row.integer(4), row.integer(0), times.start, times.end, row.integer(1),
               row.integer(5) != 0, name});
      });
}

}  // namespace prof::stats
