// nvtx_sum: ranges of both kinds; nvtx_pushpop_sum: push/pop ranges alone.
#include "exporters/stats/catalog.hpp"
#include "exporters/stats/duration_summary.hpp"
#include "exporters/stats/nvtx_ranges.hpp"

namespace prof::stats {

base::Result<Table> nvtx_sum(const report::ReportReader& reader) {
  // The kind goes in front of the name in the key, so that both kinds of one name stay apart.
  DurationGroups<std::string> groups;
  std::string key;
  const base::Status read = for_each_range(reader, [&](const NvtxRange& range) {
    key = range.type == kPushPopRange ? 'P' : 'S';
    key += range.name;
    groups.add(key, range.duration);
  });
  if (!read) return tl::make_unexpected(read.error());

  Table table{summary_columns("Instances"), {}};
  table.columns.push_back({"Style", CellKind::kText});
  table.columns.push_back({"Range", CellKind::kText});
  for (const auto& group : groups.summarise()) {
    auto cells = summary_cells(group.durations, group.percent);
    cells.emplace_back(group.key[0] == 'P' ? "PushPop" : "StartEnd");
    cells.emplace_back(group.key.substr(1));
    table.rows.push_back(std::move(cells));
  }
  return table;
}

base::Result<Table> nvtx_pushpop_sum(const report::ReportReader& reader) {
  DurationGroups<std::string> groups;
  const base::Status read = for_each_range(reader, [&](const NvtxRange& range) {
    if (range.type == kPushPopRange) groups.add(std::string(range.name), range.duration);
  });
  if (!read) return tl::make_unexpected(read.error());

  Table table{summary_columns("Instances"), {}};
  table.columns.push_back({"Range", CellKind::kText});
  for (const auto& group : groups.summarise()) {
    auto cells = summary_cells(group.durations, group.percent);
    cells.emplace_back(group.key);
    table.rows.push_back(std::move(cells));
  }
  return table;
}

}  // namespace prof::stats
