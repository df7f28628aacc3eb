// The order in which rows are shown.
#include <algorithm>
#include <array>
#include <tuple>

#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/viewer/timeline/loading/row_tree.hpp"

namespace prof::timeline {

namespace {

// Kinds in the order in which rows of one parent are shown.
constexpr std::array kDisplayOrder = {
    RowKind::kReport,   RowKind::kState,   RowKind::kSamples, RowKind::kPythonSamples,
    RowKind::kNvtx,     RowKind::kPython,  RowKind::kGil,     RowKind::kMpi,
    RowKind::kLibrary,  RowKind::kCudaApi, RowKind::kOpenMp,  RowKind::kOpenAcc,
    RowKind::kOsrt,     RowKind::kSyscall, RowKind::kFiles,   RowKind::kNvtxGpu,
    RowKind::kKernels,  RowKind::kCopies,  RowKind::kFills,   RowKind::kGraphs,
    RowKind::kQueue,    RowKind::kWaits,   RowKind::kProcess, RowKind::kThread,
    RowKind::kGpus,     RowKind::kGpu,     RowKind::kMemory,  RowKind::kContext,
    RowKind::kStream,   RowKind::kBytes,   RowKind::kFaults,  RowKind::kMetric,
    RowKind::kOverhead, RowKind::kOther,   RowKind::kGroup};

int rank_of(RowKind kind) {
  return static_cast<int>(std::find(kDisplayOrder.begin(), kDisplayOrder.end(), kind) -
                          kDisplayOrder.begin());
}

}  // namespace

// What decides about the place of a row among its siblings.
struct RowTree::Activity {
  std::uint64_t events = 0;
  std::uint64_t own_events = 0;  // not of the profiler
  bool uses_gpu = false;
  bool exact = true;
};

std::vector<RowTree::Activity> RowTree::activities() const {
  std::vector<Activity> all(nodes_.size());
  // Rows are made after the rows above them.
  for (std::size_t id = nodes_.size() - 1; id > 0; --id) {
    const Row& row = nodes_[id]->row;
    Activity& own = all[id];
    const bool has_events = row.style != RowStyle::kDensity;
    own.events += has_events ? row.events : 0;
    if (has_events && row.kind != RowKind::kOverhead) own.own_events += row.events;
    own.uses_gpu = own.uses_gpu || (row.kind == RowKind::kCudaApi && row.events > 0);
    if (has_events && row.events > 0) own.exact = own.exact && row.exact;
    all[row.parent].events += own.events;
    all[row.parent].own_events += own.own_events;
    all[row.parent].exact = all[row.parent].exact && own.exact;
    all[row.parent].uses_gpu = all[row.parent].uses_gpu || own.uses_gpu;
  }
  return all;
}

std::vector<RowId> RowTree::sorted_children(RowId id, const std::vector<Activity>& all) const {
  std::vector<RowId> children = at(id).children;
  std::erase_if(children, [&](RowId child) { return all[child].events == 0; });
  std::int64_t first_process = INT64_MAX;
  for (const RowId child : children)
    if (at(child).row.kind == RowKind::kProcess)
      first_process = std::min(first_process, at(child).number);
  const auto key = [&](RowId child) {
    const Row& row = at(child).row;
    const std::int64_t number = at(child).number;
    const Activity& activity = all[child];
    // The process that was launched has the lowest pid, its first thread the same number.
    const bool is_main =
        (row.kind == RowKind::kProcess && number == first_process) ||
        (row.kind == RowKind::kThread && events::pid_of(number) == events::tid_of(number));
    const bool by_activity = row.kind == RowKind::kProcess || row.kind == RowKind::kThread ||
                             row.kind == RowKind::kContext || row.kind == RowKind::kStream;
    return std::tuple(
        rank_of(row.kind), !is_main, row.kind == RowKind::kProcess && !activity.uses_gpu,
        by_activity ? ~activity.own_events : 0, number, std::string_view(row.name), child);
  };
  std::sort(children.begin(), children.end(), [&](RowId a, RowId b) { return key(a) < key(b); });
  return children;
}

void RowTree::list(RowId id, const std::vector<Activity>& all, std::vector<Shown>& order) const {
  for (const RowId child : sorted_children(id, all)) {
    order.push_back({child, all[child].events, all[child].exact});
    list(child, all, order);
  }
}

std::vector<RowTree::Shown> RowTree::in_order() const {
  std::vector<Shown> order;
  list(kNoRow, activities(), order);
  return order;
}

}  // namespace prof::timeline
