// nccl_bandwidth: operations of NCCL by communicator, kind and size, with their bandwidths.
#include <fmt/format.h>

#include "exporters/analysis/insight/collectives.hpp"
#include "exporters/analysis/stats/catalog.hpp"

namespace prof::stats {

using tables::CellKind;

namespace {

tables::Cell real_cell(std::optional<double> value) {
  return value ? tables::Cell{*value} : tables::Cell{};
}

std::vector<tables::Cell> cells_of(const insight::CollectiveGroup& group) {
  const double typical = group.typical_time();
  std::int64_t shortest = 0;
  std::int64_t total = 0;
  std::int64_t ranks = 0;
  for (const insight::CollectiveInstance& each : group.instances) {
    if (shortest == 0 || each.shortest < shortest) shortest = each.shortest;
    total += each.shortest;
    ranks = std::max(ranks, each.ranks);
  }
  const bool measured = !group.instances.empty();
  const bool compares_ranks = ranks > 1;
  return {measured ? tables::Cell{total} : tables::Cell{},
          group.calls,
          group.bytes,
          real_cell(measured ? std::optional(typical) : std::nullopt),
          real_cell(group.algorithm_bandwidth(typical)),
          real_cell(group.bus_bandwidth(typical)),
          real_cell(group.bus_bandwidth(static_cast<double>(shortest))),
          real_cell(compares_ranks ? std::optional(group.mean_wait()) : std::nullopt),
          group.ranks == 0 ? tables::Cell{} : tables::Cell{group.ranks},
          group.name,
          fmt::format("{:#x}", group.communicator)};
}

}  // namespace

base::Result<tables::Table> nccl_bandwidth(const report::ReportReader& reader, const Arguments&) {
  const auto collectives = insight::Collectives::read(reader);
  if (!collectives) return tl::make_unexpected(collectives.error());
  tables::Table table{{{"Time (ns)", CellKind::kInteger},
                       {"Calls", CellKind::kInteger},
                       {"Size (B)", CellKind::kInteger},
                       {"Med (ns)", CellKind::kReal, 1},
                       {"AlgBW (GB/s)", CellKind::kReal, 2},
                       {"BusBW (GB/s)", CellKind::kReal, 2},
                       {"Max BusBW (GB/s)", CellKind::kReal, 2},
                       {"Wait (ns)", CellKind::kReal, 1},
                       {"Ranks", CellKind::kInteger},
                       {"Operation", CellKind::kText},
                       {"Communicator", CellKind::kText}},
                      {}};
  for (const insight::CollectiveGroup& group : insight::groups_of(*collectives))
    table.rows.push_back(cells_of(group));
  tables::sort_descending(table, 0);
  return table;
}

}  // namespace prof::stats
