// nvtx_kern_sum: kernels by the NVTX ranges around their launches. A kernel counts in each of them.
#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "exporters/stats/catalog.hpp"
#include "exporters/stats/duration_summary.hpp"
#include "exporters/stats/global_ids.hpp"
#include "exporters/stats/nvtx_ranges.hpp"
#include "exporters/stats/ranges_of_launches.hpp"

namespace prof::stats {

namespace {

struct GroupKey {
  std::int32_t range_name = RangeTree::kNone;  // kNone: launched in no range
  std::int64_t type = 0;
  std::int64_t global_tid;
  KernelKey kernel;
  auto operator<=>(const GroupKey&) const = default;  // NOLINT(modernize-use-nullptr)
};

struct Group {
  std::set<std::int32_t> ranges;
  std::vector<std::int64_t> durations;
};

std::vector<ColumnSpec> columns() {
  return {{"NVTX Range", CellKind::kText},
          {"Style", CellKind::kText},
          {"PID", CellKind::kInteger},
          {"TID", CellKind::kInteger},
          {"NVTX Inst", CellKind::kInteger},
          {"Kern Inst", CellKind::kInteger},
          {"Total Time (ns)", CellKind::kInteger},
          {"Avg (ns)", CellKind::kReal, 1},
          {"Med (ns)", CellKind::kReal, 1},
          {"Min (ns)", CellKind::kInteger},
          {"Max (ns)", CellKind::kInteger},
          {"StdDev (ns)", CellKind::kReal, 1},
          {"Kernel Name", CellKind::kText}};
}

using Groups = std::map<GroupKey, Group>;

Groups grouped(const RangeTree& tree, std::vector<LaunchedOperation>& kernels) {
  Groups groups;
  for_each_range_of_launches(tree, kernels, [&](const auto& kernel, std::int32_t range) {
    GroupKey key{.global_tid = kernel.global_tid, .kernel = kernel.kernel};
    if (range != RangeTree::kNone) {
      key.range_name = tree.at(range).name;
      key.type = tree.at(range).type;
    }
    Group& group = groups[key];
    if (range != RangeTree::kNone) group.ranges.insert(range);
    group.durations.push_back(kernel.end - kernel.start);
  });
  return groups;
}

// By range, thread and falling total.
bool in_order(const std::vector<Cell>& a, const std::vector<Cell>& b) {
  constexpr std::size_t kTotal = 6;
  return std::tie(a[0], a[1], a[2], a[3], b[kTotal], a.back()) <
         std::tie(b[0], b[1], b[2], b[3], a[kTotal], b.back());
}

}  // namespace

base::Result<Table> nvtx_kern_sum(const report::ReportReader& reader, const Arguments& arguments) {
  const auto tree = RangeTree::read(reader);
  if (!tree) return tl::make_unexpected(tree.error());
  auto names = KernelNames::make(reader, arguments);
  if (!names) return tl::make_unexpected(names.error());
  auto kernels = launched_kernels(reader, *names);
  if (!kernels) return tl::make_unexpected(kernels.error());
  Table table{columns(), {}};
  for (auto& [key, group] : grouped(*tree, *kernels)) {
    Cell range;
    Cell style;
    if (!group.ranges.empty()) {
      range = tree->name_of(tree->at(*group.ranges.begin()));
      style = range_style(key.type);
    }
    const Durations times = summarise(group.durations);
    table.rows.push_back({range, style, pid_of(key.global_tid), tid_of(key.global_tid),
                          static_cast<std::int64_t>(group.ranges.size()), times.count, times.total,
                          times.average, times.median, times.minimum, times.maximum,
                          times.deviation, names->text(key.kernel)});
  }
  std::sort(table.rows.begin(), table.rows.end(), in_order);
  return table;
}

}  // namespace prof::stats
