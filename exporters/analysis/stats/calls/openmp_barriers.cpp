// openmp_barriers: the time of threads in barriers of OpenMP, by their place and region.
#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <set>

#include "exporters/analysis/events/strings.hpp"
#include "exporters/analysis/insight/openmp_regions.hpp"
#include "exporters/analysis/stats/catalog.hpp"
#include "exporters/analysis/stats/duration_summary.hpp"

namespace prof::stats {

using tables::CellKind;

namespace {

struct Barrier {
  std::int64_t name, site, region_site;
  bool operator==(const Barrier&) const = default;
  auto operator<=>(const Barrier&) const = default;
};

struct HashBarrier {
  std::size_t operator()(const Barrier& key) const {
    return std::hash<std::int64_t>()(key.name ^ key.site << 20 ^ key.region_site << 40);
  }
};

}  // namespace

base::Result<tables::Table> openmp_barriers(const report::ReportReader& reader, const Arguments&) {
  DurationGroups<Barrier, HashBarrier> groups;
  std::map<Barrier, std::set<std::int64_t>> threads;
  const auto regions =
      insight::read_openmp_barriers(reader, [&](const insight::OpenMpBarrier& each) {
        // LLVM's runtime says where a region's last barrier is on the thread alone that began it.
        const std::int64_t site = each.site != 0 ? each.site : each.region_site;
        const Barrier key{each.name, site, each.region_site};
        groups.add(key, each.time);
        threads[key].insert(each.global_tid);
      });
  if (!regions) return tl::make_unexpected(regions.error());
  events::Strings strings(reader);
  tables::Table table{summary_columns("Instances"), {}};
  table.columns.insert(table.columns.end(), {{"Threads", CellKind::kInteger},
                                             {"Barrier", CellKind::kText},
                                             {"Place", CellKind::kText},
                                             {"Region", CellKind::kText}});
  for (const auto& group : groups.summarise()) {
    auto cells = summary_cells(group.durations, group.percent);
    cells.emplace_back(static_cast<std::int64_t>(threads[group.key].size()));
    cells.emplace_back(strings.text(group.key.name));
    cells.emplace_back(regions->site(group.key.site).text());
    cells.emplace_back(regions->site(group.key.region_site).text());
    table.rows.push_back(std::move(cells));
  }
  return table;
}

}  // namespace prof::stats
