#include "exporters/viewer/timeline/loading/folds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "exporters/analysis/events/global_ids.hpp"

namespace prof::timeline {

namespace {

// Fewer threads or processes than this have a row each.
constexpr std::size_t kFewestThreads = 4;
constexpr std::size_t kFewestProcesses = 8;
// A process is short if it lives for less than this part of the recording.
constexpr std::int64_t kShortPart = 8;

struct Life {
  RowId row = kNoRow;
  std::int64_t start = INT64_MAX;
  std::int64_t end = INT64_MIN;
  bool uses_gpu = false;

  bool is_empty() const { return start > end; }
  void add(const Life& other) {
    start = std::min(start, other.start);
    end = std::max(end, other.end);
    uses_gpu = uses_gpu || other.uses_gpu;
  }
};

// Returns the time of the events of each row and of those below it, by RowId. A thread whose states
// alone are known has none.
std::vector<Life> lives_of(const RowTree& tree, std::uint32_t report) {
  std::vector<Life> lives(tree.size());
  // Rows have larger ids than the rows above them, so this order visits them first.
  for (auto id = static_cast<RowId>(tree.size() - 1); id > 0; --id) {
    const RowTree::Node& node = tree.at(id);
    if (node.row.report != report || node.is_fold) continue;
    lives[id].row = id;
    // States are known from the begin to the end of the recording.
    const bool has_times =
        node.data.events && node.data.events->size() > 0 && node.row.kind != RowKind::kState;
    if (has_times)
      lives[id].add({id, node.data.events->earliest(), node.data.events->latest(),
                     node.row.kind == RowKind::kCudaApi});
    lives[node.row.parent].add(lives[id]);
  }
  return lives;
}

class Folder {
 public:
  Folder(RowTree& tree, const Facts& facts, Names& names)
      : tree_(tree), facts_(facts), names_(names) {}

  void fold(RowKind kind, const std::string& name, std::vector<Life> members) {
    std::sort(members.begin(), members.end(), [](const Life& a, const Life& b) {
      return a.start != b.start ? a.start < b.start : a.row < b.row;
    });
    std::vector<RowId> rows;
    for (const Life& member : members) rows.push_back(member.row);
    RowTree::Node& node = tree_.at(tree_.fold(kind, name, std::move(rows)));
    node.row.note = fmt::format("{} {}", members.size(), name_of(kind));
    node.row.tables = {kind == RowKind::kProcesses ? "PROCESSES" : "ThreadNames"};
    node.row.exact = true;
    ++node.row.version;
    node.data = {};
    node.data.exact = true;
    auto lanes = lanes_of(kind, members);
    const bool is_sequence = lanes && lanes->lanes() * 2 <= members.size();
    node.row.style = is_sequence ? RowStyle::kEvents : RowStyle::kDensity;
    node.row.lanes = is_sequence ? lanes->lanes() : 1;
    if (is_sequence) node.data.events = std::move(lanes);
  }

 private:
  // Returns the times of the members as events; null if the report has no row for one of them.
  std::shared_ptr<const EventLanes> lanes_of(RowKind kind, const std::vector<Life>& members) {
    Section section;
    for (const Life& member : members) {
      const Row& row = tree_.at(member.row).row;
      const auto rowid = kind == RowKind::kProcesses ? facts_.process_row(row.process.value_or(0))
                                                     : facts_.thread_row(row.thread.value_or(0));
      if (!rowid || *rowid < 0 || *rowid > UINT32_MAX) return nullptr;
      section.add({member.start, member.end, names_.number(row.name),
                   static_cast<std::uint32_t>(*rowid), 0, 0, 0});
    }
    Sections sections;
    sections[static_cast<std::size_t>(Layout::kFirstFit)] = std::move(section);
    return std::make_shared<const EventLanes>(EventLanes::lay_out(std::move(sections)));
  }

  RowTree& tree_;
  const Facts& facts_;
  Names& names_;
};

bool is_main_thread(const Row& row) {
  return row.thread && events::pid_of(*row.thread) == events::tid_of(*row.thread);
}

}  // namespace

void fold_rows(RowTree& tree, std::uint32_t report, const Facts& facts, Names& names) {
  tree.unfold(report);
  const std::vector<Life> lives = lives_of(tree, report);
  Life all;
  for (const Life& life : lives) all.add(life);
  std::map<std::pair<RowId, std::string>, std::vector<Life>> threads;
  std::vector<Life> processes;
  std::int64_t first = INT64_MAX;  // the process that was launched
  for (RowId id = 1; id < lives.size(); ++id) {
    const Row& row = tree.at(id).row;
    if (row.report != report || lives[id].is_empty()) continue;
    if (row.kind == RowKind::kThread && !is_main_thread(row))
      threads[{row.parent, row.name}].push_back(lives[id]);
    if (row.kind != RowKind::kProcess) continue;
    first = std::min(first, row.process.value_or(INT64_MAX));
    if (!lives[id].uses_gpu && lives[id].end - lives[id].start < (all.end - all.start) / kShortPart)
      processes.push_back(lives[id]);
  }
  std::erase_if(processes,
                [&](const Life& life) { return tree.at(life.row).row.process == first; });
  Folder folder(tree, facts, names);
  for (auto& [key, members] : threads)
    if (members.size() >= kFewestThreads)
      folder.fold(RowKind::kThreads, key.second, std::move(members));
  if (processes.size() >= kFewestProcesses)
    folder.fold(RowKind::kProcesses, "Short processes", std::move(processes));
}

}  // namespace prof::timeline
