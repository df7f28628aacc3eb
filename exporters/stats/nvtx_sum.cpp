// nvtx_sum: ranges of both kinds; nvtx_pushpop_sum and nvtx_startend_sum: of one kind.
#include "exporters/stats/catalog.hpp"
#include "exporters/stats/duration_summary.hpp"
#include "exporters/stats/nvtx_ranges.hpp"

namespace prof::stats {

namespace {

using Labels = std::vector<std::string>;

base::Result<Table> sum_of_kind(const report::ReportReader& reader, std::int64_t type) {
  DurationGroups<std::string> groups;
  const base::Status read = for_each_range(reader, [&](const NvtxRange& range) {
    if (range.type == type) groups.add(std::string(range.name), range.duration());
  });
  if (!read) return tl::make_unexpected(read.error());
  return summary_table(groups, "Instances", {"Range"},
                       [](const std::string& name) { return Labels{name}; });
}

}  // namespace

base::Result<Table> nvtx_sum(const report::ReportReader& reader, const Arguments&) {
  // The kind goes in front of the name in the key, so that both kinds of one name stay apart.
  DurationGroups<std::string> groups;
  std::string key;
  const base::Status read = for_each_range(reader, [&](const NvtxRange& range) {
    key = range.type == kPushPopRange ? 'P' : 'S';
    key += range.name;
    groups.add(key, range.duration());
  });
  if (!read) return tl::make_unexpected(read.error());
  return summary_table(groups, "Instances", {"Style", "Range"}, [](const std::string& group) {
    return Labels{range_style(group[0] == 'P' ? kPushPopRange : kStartEndRange), group.substr(1)};
  });
}

base::Result<Table> nvtx_pushpop_sum(const report::ReportReader& reader, const Arguments&) {
  return sum_of_kind(reader, kPushPopRange);
}

base::Result<Table> nvtx_startend_sum(const report::ReportReader& reader, const Arguments&) {
  return sum_of_kind(reader, kStartEndRange);
}

}  // namespace prof::stats
