#include "exporters/stats/nvtx_ranges.hpp"

#include <map>

#include "exporters/stats/global_ids.hpp"

namespace prof::stats {

namespace {

using DomainKey = std::pair<std::int64_t, std::int64_t>;  // globalTid without the thread, domainId

base::Result<std::map<DomainKey, std::string>> domain_names(const report::ReportReader& reader) {
  auto query = reader.prepare(
      "SELECT globalTid, domainId, COALESCE(text, (SELECT value FROM StringIds WHERE id = textId)) "
      "FROM NVTX_EVENTS WHERE eventType = 75");
  if (!query) return tl::make_unexpected(query.error());
  std::map<DomainKey, std::string> names;
  auto row = query->step();
  for (; row && *row; row = query->step())
    names[{process_of(query->integer(0)), query->integer(1)}] = query->text(2);
  if (!row) return tl::make_unexpected(row.error());
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
  auto query = reader.prepare(
      "SELECT eventType, start, globalTid, domainId, "
      "       COALESCE(text, (SELECT value FROM StringIds WHERE id = textId), ''), "
      "       end, rowid, COALESCE(endGlobalTid, globalTid) = globalTid "
      "FROM NVTX_EVENTS WHERE eventType IN (59, 60) AND end IS NOT NULL");
  if (!query) return tl::make_unexpected(query.error());
  std::string name;
  auto row = query->step();
  for (; row && *row; row = query->step()) {
    name.clear();
    const auto domain = domains->find({process_of(query->integer(2)), query->integer(3)});
    if (domain != domains->end()) name = domain->second;
    name += ':';
    name += query->text(4);
    visit({query->integer(6), query->integer(0), query->integer(1), query->integer(5),
           query->integer(2), query->integer(7) != 0, name});
  }
  if (!row) return tl::make_unexpected(row.error());
  return {};
}

}  // namespace prof::stats
