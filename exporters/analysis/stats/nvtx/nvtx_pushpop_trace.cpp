// nvtx_pushpop_trace: every push/pop range, with the ranges around it.
#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/events/nvtx/nvtx_ranges.hpp"
#include "exporters/analysis/events/nvtx/range_tree.hpp"
#include "exporters/analysis/stats/catalog.hpp"

namespace prof::stats {

namespace {

std::vector<tables::ColumnSpec> pushpop_columns() {
  std::vector<tables::ColumnSpec> result;
  for (const char* header :
       {"Start (ns)", "End (ns)", "Duration (ns)", "DurChild (ns)", "DurNonChild (ns)"})
    result.push_back({header, tables::CellKind::kInteger});
  result.push_back({"Name", tables::CellKind::kText});
  for (const char* header : {"PID", "TID", "Lvl", "NumChild", "RangeId", "ParentId"})
    result.push_back({header, tables::CellKind::kInteger});
  result.push_back({"RangeStack", tables::CellKind::kText});
  result.push_back({"NameTree", tables::CellKind::kText});
  return result;
}

struct Children {
  std::int64_t count = 0;
  std::int64_t duration = 0;
};

std::vector<Children> children_of(const events::RangeTree& tree) {
  std::vector<Children> children(tree.size());
  for (const events::RangeTree::Range& range : tree.ranges()) {
    if (range.parent == events::RangeTree::kNone) continue;
    Children& of_parent = children[static_cast<std::size_t>(range.parent)];
    ++of_parent.count;
    of_parent.duration += range.duration();
  }
  return children;
}

}  // namespace

base::Result<tables::Table> nvtx_pushpop_trace(const report::ReportReader& reader,
                                               const Arguments&) {
  const auto tree = events::RangeTree::read(reader);
  if (!tree) return tl::make_unexpected(tree.error());
  const std::vector<Children> children = children_of(*tree);
  tables::SharedTexts shared;
  tables::Table table{pushpop_columns(), {}};
  for (std::size_t i = 0; i < tree->size(); ++i) {
    const events::RangeTree::Range range = tree->at(i);
    if (range.type != events::kPushPopRange) continue;
    const std::string& name = tree->name_of(range);
    table.rows.push_back(
        {range.start, range.end, range.duration(), children[i].duration,
         range.duration() - children[i].duration, shared(name), events::pid_of(range.global_tid),
         events::tid_of(range.global_tid), std::int64_t{range.level}, children[i].count, range.id,
         tables::optional_cell(tree->parent_id(range)), tree->id_path(range),
         shared(std::string(2 * static_cast<std::size_t>(range.level), '-') + name)});
  }
  tables::sort_by_first(table);
  return table;
}

}  // namespace prof::stats
