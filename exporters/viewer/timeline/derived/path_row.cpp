#include "exporters/viewer/timeline/derived/path_row.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "exporters/analysis/events/global_ids.hpp"

namespace prof::timeline {

namespace {

// Colors in the order of path::SegmentKind, mostly of Okabe and Ito.
constexpr std::array<std::uint32_t, path::kSegmentKinds> kPathColors = {
    0x009e73, 0xd55e00, 0x56b4e9, 0x7fbf7b, 0xb0b0b0, 0xe69f00,
    0x0072b2, 0xcc79a7, 0xe8a58f, 0xe8a58f, 0xf0e442, 0xb5a1d8};

// Returns the event of a row with these times.
std::optional<std::size_t> find_event(const EventLanes& events, std::int64_t start,
                                      std::int64_t end) {
  for (std::uint32_t lane = 0; lane < events.lanes(); ++lane)
    for (std::size_t i = events.first_from(lane, events.begin(lane), start);
         i < events.end(lane) && events.start(i) == start; ++i)
      if (events.end_of(i) == end || events.has(i, kOpenEnd)) return i;
  return std::nullopt;
}

class PathRowMaker {
 public:
  PathRowMaker(const PathTargets& targets, Names& names) : targets_(targets), names_(names) {
    number_of("");
  }

  void add(const path::PathEvent& event) {
    const auto found = event.has_item ? find(event) : std::nullopt;
    if (!found) return add(event, 0, 0, name_without_item(event));
    const auto& [target, index] = *found;
    const std::uint8_t source = target->events->source(index);
    const std::uint32_t id = target->events->id(index);
    auto& bits = result_.on_path[target->row];
    if (bits == nullptr) bits = std::make_shared<EventBits>(target->events->size());
    bits->set(index);
    add(event, number_of(target->tables.at(source)),
        target->ids == nullptr ? id : (*target->ids)[source].rowid(id),
        name_of_item(event.kind, target->events->name(index)));
  }

  PathRow take() {
    Sections sections;
    sections[static_cast<std::size_t>(Layout::kFirstFit)] = std::move(section_);
    result_.data.events =
        std::make_shared<const EventLanes>(EventLanes::lay_out(std::move(sections)));
    result_.data.ids = std::make_shared<const std::vector<IdMap>>(std::move(ids_));
    result_.data.exact = true;
    return std::move(result_);
  }

 private:
  using Found = std::pair<const PathTargets::Target*, std::size_t>;

  void add(const path::PathEvent& event, std::uint8_t source, std::int64_t rowid,
           std::uint32_t name) {
    section_.add({event.start, event.end, name, ids_[source].copy_of(rowid), 0, source, 0});
  }

  std::optional<Found> find(const path::PathEvent& event) const {
    const std::int64_t process = events::global_pid_of(event.global_id);
    if (!is_on_gpu(event.kind)) {
      const auto found = find(targets_.calls, event.global_id, event);
      return found ? found : find(targets_.calls, process | kOthers, event);
    }
    const auto found = find(targets_.work, {process, event.device, event.stream}, event);
    return found ? found : find(targets_.work, {process, 0, kOthers}, event);
  }
  template <class Key>
  static std::optional<Found> find(const std::map<Key, std::vector<PathTargets::Target>>& rows,
                                   const Key& key, const path::PathEvent& event) {
    const auto all = rows.find(key);
    if (all == rows.end()) return std::nullopt;
    for (const PathTargets::Target& each : all->second)
      if (const auto index = find_event(*each.events, event.item_start, event.item_end))
        return Found(&each, *index);
    return std::nullopt;
  }

  // Returns the number of a table in the result.
  std::uint8_t number_of(const std::string& table) {
    const auto [at, is_new] = numbers_.try_emplace(table, result_.tables.size());
    if (is_new) {
      result_.tables.push_back(table);
      ids_.emplace_back(RowRange{}, 1);
    }
    return static_cast<std::uint8_t>(at->second);
  }

  std::uint32_t name_of_item(path::SegmentKind kind, std::uint32_t name) {
    const auto [at, is_new] = item_names_.try_emplace({kind, name});
    if (is_new)
      at->second = number_name(kind, fmt::format("{}: {}", path::name_of(kind), names_.text(name)));
    return at->second;
  }
  std::uint32_t name_without_item(const path::PathEvent& event) {
    const auto thread = targets_.threads.find(event.global_id);
    const bool has_thread = !is_on_gpu(event.kind) && thread != targets_.threads.end();
    return number_name(event.kind,
                       has_thread ? fmt::format("{}: {}", path::name_of(event.kind), thread->second)
                                  : path::name_of(event.kind));
  }
  std::uint32_t number_name(path::SegmentKind kind, const std::string& text) {
    return names_.number(text, kPathColors[static_cast<std::size_t>(kind)]);
  }

  const PathTargets& targets_;
  Names& names_;
  Section section_;
  PathRow result_;
  std::vector<IdMap> ids_;  // by table of the result
  std::map<std::string, std::size_t> numbers_;
  std::map<std::pair<path::SegmentKind, std::uint32_t>, std::uint32_t> item_names_;
};

}  // namespace

bool can_be_on_path(RowKind kind) {
  switch (kind) {
    case RowKind::kCudaApi:
    case RowKind::kOsrt:
    case RowKind::kMpi:
    case RowKind::kKernels:
    case RowKind::kCopies:
    case RowKind::kFills:
    case RowKind::kGraphs:
      return true;
    default:
      return false;
  }
}

PathTargets path_targets(const RowTree& tree, std::uint32_t report) {
  PathTargets result;
  for (RowId id = 1; id < tree.size(); ++id) {
    const RowTree::Node& node = tree.at(id);
    const Row& row = node.row;
    if (row.report != report) continue;
    if (row.kind == RowKind::kThread && row.thread)
      result.threads[*row.thread] = row.note.empty() ? row.name : row.name + ", " + row.note;
    if (!node.data.events || !can_be_on_path(row.kind)) continue;
    PathTargets::Target target{id, node.data.events, node.data.ids, row.tables};
    if (row.thread)
      result.calls[*row.thread].push_back(std::move(target));
    else if (row.process)
      result.work[{*row.process, row.device.value_or(0), row.stream.value_or(kOthers)}].push_back(
          std::move(target));
  }
  return result;
}

PathRow path_row(const PathTargets& targets, const std::vector<path::PathEvent>& path,
                 Names& names) {
  PathRowMaker maker(targets, names);
  for (const path::PathEvent& each : path) maker.add(each);
  return maker.take();
}

}  // namespace prof::timeline
