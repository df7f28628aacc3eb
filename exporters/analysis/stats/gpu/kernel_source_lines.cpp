// kernel_source_lines: what source lines do in profiled launches, by SASS metrics.
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "exporters/analysis/insight/profiles/kernel_profiles.hpp"
#include "exporters/analysis/stalls/sass_counts.hpp"
#include "exporters/analysis/stats/catalog.hpp"
#include "exporters/analysis/tables/percent.hpp"

namespace prof::stats {

using tables::CellKind;

namespace {

// The launches of each kernel that have SASS metrics.
using ProfilesByKernel = std::map<std::string, std::vector<std::int64_t>>;

base::Result<ProfilesByKernel> read_profiles(const report::ReportReader& reader,
                                             const Arguments& arguments) {
  auto names = events::KernelNames::make(reader, arguments.kernels);
  if (!names) return tl::make_unexpected(names.error());
  const auto profiles = insight::read_kernel_profiles(reader, *names);
  if (!profiles) return tl::make_unexpected(profiles.error());
  ProfilesByKernel result;
  for (const insight::ProfiledLaunch& each : profiles->launches)
    result[names->text(each.configuration.kernel)].push_back(each.id);
  return result;
}

// Appends what is not there, its share, and what there is for each request; nothing without
// requests.
void add_traffic(std::vector<tables::Cell>& cells, std::int64_t all, std::int64_t excess,
                 std::int64_t requests) {
  if (requests == 0) {
    cells.resize(cells.size() + 4);
    return;
  }
  cells.insert(cells.end(), {all, excess, tables::percent(excess, all),
                             static_cast<double>(all) / static_cast<double>(requests)});
}

void add_line(tables::Table& table, const stalls::CountedLine& line, std::int64_t total,
              const std::string& kernel) {
  const stalls::SassCounts& counts = line.counts;
  std::vector<tables::Cell> cells{tables::percent(counts.executed, total), counts.executed};
  if (counts.executed > 0)
    cells.emplace_back(static_cast<double>(counts.thread_true) /
                       static_cast<double>(counts.executed));
  else
    cells.resize(cells.size() + 1);
  cells.emplace_back(counts.divergent);
  add_traffic(cells, counts.sectors, counts.excess_sectors(), counts.requests);
  add_traffic(cells, counts.wavefronts, counts.excess_wavefronts(), counts.shared_requests);
  cells.insert(cells.end(), {counts.local_sectors, line.line, line.function, line.callers, kernel});
  table.rows.push_back(std::move(cells));
}

}  // namespace

base::Result<tables::Table> kernel_source_lines(const report::ReportReader& reader,
                                                const Arguments& arguments) {
  const auto kernels = read_profiles(reader, arguments);
  if (!kernels) return tl::make_unexpected(kernels.error());
  const auto lines = stalls::CountedLines::read(reader);
  if (!lines) return tl::make_unexpected(lines.error());
  tables::Table table{{{"Kernel (%)", CellKind::kReal, 1},
                       {"Instructions", CellKind::kInteger},
                       {"Threads", CellKind::kReal, 1},
                       {"Divergent Branches", CellKind::kInteger},
                       {"Global Sectors", CellKind::kInteger},
                       {"Excess Sectors", CellKind::kInteger},
                       {"Excess Sectors (%)", CellKind::kReal, 1},
                       {"Sectors/Request", CellKind::kReal, 2},
                       {"Shared Wavefronts", CellKind::kInteger},
                       {"Excess Wavefronts", CellKind::kInteger},
                       {"Excess Wavefronts (%)", CellKind::kReal, 1},
                       {"Wavefronts/Request", CellKind::kReal, 2},
                       {"Local Sectors", CellKind::kInteger},
                       {"Line", CellKind::kText},
                       {"Function", CellKind::kText},
                       {"Inlined", CellKind::kText},
                       {"Name", CellKind::kText}},
                      {}};
  for (const auto& [name, profiles] : *kernels) {
    const std::vector<stalls::CountedLine> found = lines->of(profiles);
    stalls::SassCounts total;
    for (const stalls::CountedLine& each : found) total.add(each.counts);
    for (const stalls::CountedLine& each : found) add_line(table, each, total.executed, name);
  }
  tables::sort_descending(table, 1);
  return table;
}

}  // namespace prof::stats
