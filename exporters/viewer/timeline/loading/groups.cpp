#include "exporters/viewer/timeline/loading/groups.hpp"

#include <algorithm>

namespace prof::timeline {

namespace {

// The classes of rows that make a group busy. A group counts the rows of the first class in this
// list that it has.
enum class Use : std::uint8_t { kNone, kGpu, kRunning, kCalls, kSystem };

Use use_of(const RowTree::Node& node) {
  switch (node.row.kind) {
    case RowKind::kKernels:
    case RowKind::kCopies:
    case RowKind::kFills:
    case RowKind::kGraphs:
      return Use::kGpu;
    case RowKind::kState:
      return Use::kRunning;
    case RowKind::kNvtx:
    case RowKind::kPython:
    case RowKind::kCudaApi:
    case RowKind::kLibrary:
    case RowKind::kMpi:
    case RowKind::kOpenMp:
    case RowKind::kOpenAcc:
      return Use::kCalls;
    case RowKind::kOsrt:
    case RowKind::kSyscall:
    case RowKind::kFiles:
      return Use::kSystem;
    default:
      return Use::kNone;
  }
}

}  // namespace

std::vector<Group> groups_of(const RowTree& tree, std::uint32_t report) {
  struct Below {
    std::vector<RowId> rows;
    Use use = Use::kNone;
  };
  std::vector<Below> below(tree.size());
  const auto add = [](Below& above, const Below& own) {
    const bool is_better =
        own.use != Use::kNone && (above.use == Use::kNone || own.use < above.use);
    if (is_better) above = {{}, own.use};
    if (own.use == above.use || above.use == Use::kNone)
      above.rows.insert(above.rows.end(), own.rows.begin(), own.rows.end());
  };
  // Rows have larger ids than the rows above them, so this order visits them first.
  for (std::size_t id = tree.size() - 1; id > 0; --id) {
    const RowTree::Node& node = tree.at(static_cast<RowId>(id));
    if (node.row.report != report || node.is_fold) continue;
    if (node.data.events) below[id] = {{static_cast<RowId>(id)}, use_of(node)};
    add(below[node.row.parent], below[id]);
  }
  for (RowId id = 1; id < tree.size(); ++id)
    if (const RowId fold = tree.at(id).listed_below; fold != kNoRow) add(below[fold], below[id]);
  std::vector<std::pair<std::vector<RowId>, RowId>> order;
  for (std::size_t id = 1; id < tree.size(); ++id) {
    const RowTree::Node& node = tree.at(static_cast<RowId>(id));
    if (node.row.report == report && node.row.style == RowStyle::kDensity)
      order.emplace_back(std::move(below[id].rows), static_cast<RowId>(id));
  }
  std::sort(order.begin(), order.end());
  std::vector<Group> groups;
  for (const auto& [rows, id] : order) {
    Group group{id, {}, 1};
    double read = 0;
    double all = 0;
    for (const RowId row : rows) {
      const RowTree::Node& node = tree.at(row);
      group.busy.push_back(node.data.busy ? node.data.busy : node.data.events);
      read += static_cast<double>(node.data.events->size());
      all +=
          static_cast<double>(std::max<std::uint64_t>(node.row.events, node.data.events->size()));
    }
    if (all > 0) group.share_read = read / all;
    groups.push_back(std::move(group));
  }
  return groups;
}

void set_shares(RowTree& tree, std::uint32_t report) {
  const auto has_share = [&](RowId id) {
    const RowTree::Node& node = tree.at(id);
    return node.row.report == report && node.data.density &&
           (node.row.kind == RowKind::kThread || node.row.kind == RowKind::kStream);
  };
  for (RowId id = 1; id < tree.size(); ++id) {
    if (tree.is_fold(id)) continue;
    double sum = 0;
    for (const RowId child : tree.at(id).children)
      if (has_share(child)) sum += static_cast<double>(tree.at(child).data.density->busy());
    for (const RowId child : tree.at(id).children)
      if (has_share(child) && sum > 0)
        tree.at(child).row.share = static_cast<double>(tree.at(child).data.density->busy()) / sum;
  }
  for (RowId id = 1; id < tree.size(); ++id) {
    if (!tree.is_fold(id) || tree.at(id).row.report != report) continue;
    tree.at(id).row.share.reset();
    for (const RowId child : tree.at(id).children)
      if (const auto share = tree.at(child).row.share)
        tree.at(id).row.share = tree.at(id).row.share.value_or(0) + *share;
  }
}

}  // namespace prof::timeline
