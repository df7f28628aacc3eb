// nvtx_kern_sum: kernels by the NVTX ranges around their launches, and around the capture of their
// nodes of graphs. A kernel counts in each range.
#include <algorithm>
#include <span>
#include <tuple>

#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/events/nvtx/nvtx_ranges.hpp"
#include "exporters/analysis/stats/catalog.hpp"
#include "exporters/analysis/stats/duration_summary.hpp"
#include "exporters/analysis/stats/nvtx/ranges_of_launches.hpp"

namespace prof::stats {

using tables::CellKind;

namespace {

struct GroupKey {
  std::int32_t range_name = events::RangeTree::kNone;  // kNone: launched outside of ranges
  std::int64_t type = 0;
  std::int64_t global_tid;
  events::KernelKey kernel;
  auto operator<=>(const GroupKey&) const = default;  // NOLINT(modernize-use-nullptr)
};

// One kernel in one range.
struct KernelInRange {
  GroupKey group;
  std::int32_t range;
  std::int64_t launch;  // each launch of a graph repeats the range of its capture; 0: no repetition
  std::int64_t duration;
};
using KernelsInRanges = std::vector<KernelInRange>;

std::vector<tables::ColumnSpec> range_kernel_columns() {
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

// Returns all kernels in all ranges, sorted by group.
KernelsInRanges kernels_in_ranges(const events::RangeTree& tree, LaunchedOperations& kernels) {
  KernelsInRanges result;
  for_each_range_of_launches(tree, kernels, [&](const auto& kernel, RangeOfOperation of) {
    const std::int32_t range = of.index;
    GroupKey key{.global_tid = kernel.global_tid, .kernel = kernel.kernel};
    if (range != events::RangeTree::kNone) {
      key.range_name = tree.at(range).name;
      key.type = tree.at(range).type;
    }
    result.push_back(
        {key, range, of.at_capture ? kernel.call_start : 0, kernel.end - kernel.start});
  });
  std::stable_sort(result.begin(), result.end(),
                   [](const auto& a, const auto& b) { return a.group < b.group; });
  return result;
}

// Returns the row of one group.
std::vector<tables::Cell> row(const events::RangeTree& tree, events::KernelNames& names,
                              std::span<const KernelInRange> group) {
  std::vector<std::pair<std::int32_t, std::int64_t>> ranges;  // with the launches
  std::vector<std::int64_t> durations;
  for (const KernelInRange& each : group) {
    if (each.range != events::RangeTree::kNone) ranges.emplace_back(each.range, each.launch);
    durations.push_back(each.duration);
  }
  std::sort(ranges.begin(), ranges.end());
  ranges.erase(std::unique(ranges.begin(), ranges.end()), ranges.end());
  const GroupKey& key = group.front().group;
  tables::Cell range;
  tables::Cell style;
  if (!ranges.empty()) {
    range = tree.name_of(tree.at(ranges.front().first));
    style = events::range_style(key.type);
  }
  const Durations times = summarise(durations);
  return {range,
          style,
          events::pid_of(key.global_tid),
          events::tid_of(key.global_tid),
          static_cast<std::int64_t>(ranges.size()),
          times.count,
          times.total,
          times.average,
          times.median,
          times.minimum,
          times.maximum,
          times.deviation,
          names.text(key.kernel)};
}

// Compares rows by range, thread and total, largest total first.
bool in_kernel_order(const std::vector<tables::Cell>& a, const std::vector<tables::Cell>& b) {
  constexpr std::size_t kTotal = 6;
  return std::tie(a[0], a[1], a[2], a[3], b[kTotal], a.back()) <
         std::tie(b[0], b[1], b[2], b[3], a[kTotal], b.back());
}

}  // namespace

base::Result<tables::Table> nvtx_kern_sum(const report::ReportReader& reader,
                                          const Arguments& arguments) {
  const auto tree = events::RangeTree::read(reader, events::RangeTree::Nesting::kPushPop,
                                            ranges_for(arguments.kernels.range_of));
  if (!tree) return tl::make_unexpected(tree.error());
  auto names = events::KernelNames::make(reader, arguments.kernels);
  if (!names) return tl::make_unexpected(names.error());
  auto kernels = launched_kernels(reader, *names, arguments.kernels.range_of);
  if (!kernels) return tl::make_unexpected(kernels.error());
  tables::Table table{range_kernel_columns(), {}};
  const KernelsInRanges all = kernels_in_ranges(*tree, *kernels);
  for (auto first = all.begin(); first != all.end();) {
    const auto last = std::find_if(
        first, all.end(), [&](const KernelInRange& each) { return each.group != first->group; });
    table.rows.push_back(row(*tree, *names, {first, last}));
    first = last;
  }
  std::sort(table.rows.begin(), table.rows.end(), in_kernel_order);
  return table;
}

}  // namespace prof::stats
