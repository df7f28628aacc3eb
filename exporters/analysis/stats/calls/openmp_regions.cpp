// openmp_regions: the parallel regions of OpenMP by their place in the program.
#include <map>

#include "exporters/analysis/events/sums.hpp"
#include "exporters/analysis/insight/openmp_regions.hpp"
#include "exporters/analysis/stats/catalog.hpp"
#include "exporters/analysis/stats/duration_summary.hpp"

namespace prof::stats {

using tables::CellKind;

namespace {

// All executions of the regions at one place.
struct SiteSum {
  std::int64_t threads = 0;                                      // the most of an execution
  std::int64_t thread_time = 0, barriers = 0, longest_work = 0;  // ns
  double even_work = 0;                                          // ns

  void add(const insight::OpenMpRegion& region) {
    threads = std::max(threads, region.threads);
    thread_time = events::sum(thread_time, region.thread_time);
    barriers = events::sum(barriers, region.barriers);
    even_work += region.even_work();
    longest_work = events::sum(longest_work, region.longest_work);
  }
};

tables::Cell percent_of(double part, std::int64_t whole) {
  if (whole <= 0) return {};
  return 100.0 * part / static_cast<double>(whole);
}

}  // namespace

base::Result<tables::Table> openmp_regions(const report::ReportReader& reader, const Arguments&) {
  const auto found = insight::read_openmp_regions(reader);
  if (!found) return tl::make_unexpected(found.error());
  DurationGroups<std::int64_t> groups;
  std::map<std::int64_t, SiteSum> sums;
  for (const insight::OpenMpRegion& region : found->regions) {
    groups.add(region.site, region.duration());
    sums[region.site].add(region);
  }
  tables::Table table{summary_columns("Instances"), {}};
  table.columns.insert(table.columns.end(), {{"Threads", CellKind::kInteger},
                                             {"Imbalance (%)", CellKind::kReal, 1},
                                             {"Barriers (%)", CellKind::kReal, 1},
                                             {"Region", CellKind::kText},
                                             {"Function", CellKind::kText}});
  for (const auto& group : groups.summarise()) {
    const SiteSum& sum = sums[group.key];
    const insight::OpenMpSite place = found->site(group.key);
    auto cells = summary_cells(group.durations, group.percent);
    cells.emplace_back(sum.threads);
    cells.push_back(
        percent_of(static_cast<double>(sum.longest_work) - sum.even_work, sum.longest_work));
    cells.push_back(percent_of(static_cast<double>(sum.barriers), sum.thread_time));
    cells.emplace_back(place.text());
    cells.emplace_back(place.function);
    table.rows.push_back(std::move(cells));
  }
  return table;
}

}  // namespace prof::stats
