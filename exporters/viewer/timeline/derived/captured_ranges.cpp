#include "exporters/viewer/timeline/derived/captured_ranges.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <utility>

#include "exporters/analysis/events/nvtx/capture_ranges.hpp"
#include "exporters/analysis/events/rows.hpp"
#include "exporters/analysis/insight/names.hpp"

namespace prof::timeline {

namespace {

using Origins = std::unordered_map<std::int64_t, std::pair<std::int64_t, std::int64_t>>;

// Returns the process and the node of each row that has a node.
base::Result<Origins> nodes_of(const report::ReportReader& reader, const std::string& table) {
  Origins nodes;
  if (!reader.has_column(table, "graphNodeId")) return nodes;
  const base::Status read = events::for_each_row(
      reader,
      fmt::format("SELECT rowid, globalPid, graphNodeId FROM main.{} WHERE graphNodeId IS NOT NULL",
                  report::quoted(table)),
      [&](const report::Statement& row) {
        nodes[row.integer(0)] = {row.integer(1), row.integer(2)};
      });
  if (!read) return tl::make_unexpected(read.error());
  return nodes;
}

void set_origins(const Origins& nodes, std::uint8_t source, const LinkedEvents& linked,
                 LinkedEvents::Work& work) {
  const EventLanes& all = *work.events;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all.source(i) != source) continue;
    const std::int64_t rowid =
        work.ids == nullptr ? all.id(i) : (*work.ids)[source].rowid(all.id(i));
    const auto node = nodes.find(rowid);
    if (node == nodes.end()) continue;
    const auto [row, index] = work.callers[i];
    const std::int64_t launched =
        row == LinkedEvents::Work::kNone ? all.start(i) : linked.calls[row].events->start(index);
    const auto [process, number] = node->second;
    const std::int32_t origin = linked.nodes.origin(process, number, launched);
    work.origins[i] =
        origin == events::GraphNodes::kNone ? LinkedEvents::Work::kUnknownOrigin : origin;
  }
}

// A range of a thread.
struct RangeRef {
  const EventLanes* lanes;
  std::size_t index;
  auto operator<=>(const RangeRef&) const = default;  // NOLINT(modernize-use-nullptr)
};
using RangeRefs = std::vector<RangeRef>;

// Returns the ranges that contain [start, end], outermost first.
RangeRefs ranges_around(const LinkedEvents::Calls& thread, std::int64_t start, std::int64_t end) {
  RangeRefs found;
  for (const LinkedEvents::Events& ranges : thread.ranges)
    for (std::uint32_t lane = 0; lane < ranges->lanes(); ++lane) {
      const std::size_t at = ranges->first_shown(lane, start);
      if (at < ranges->end(lane) && ranges->start(at) <= start && ranges->end_of(at) >= end &&
          !ranges->has(at, kInstant))
        found.push_back({ranges.get(), at});
    }
  std::ranges::stable_sort(found, {}, [](const RangeRef& range) {
    return std::pair(range.lanes->start(range.index), -range.lanes->end_of(range.index));
  });
  return found;
}

// A piece of work, with the call that launched it.
struct Launched {
  LinkedEvents::Work::Caller call;
  RowId stream;
  std::uint32_t work_row;
  std::uint32_t work;
};

class Projection {
 public:
  Projection(const LinkedEvents& linked, const Names& names, SectionsOfStreams& sections,
             std::vector<IdMap>& ids)
      : linked_(linked), names_(names), sections_(sections), ids_(ids) {
    for (const LinkedEvents::Calls& each : linked.calls) threads_.try_emplace(each.thread, &each);
  }

  // Adds the work of one call.
  void add(std::span<const Launched> all) {
    const auto [row, index] = all.front().call;
    const LinkedEvents::Calls& calls = linked_.calls[row];
    RangeRefs around;
    if (linked_.range_of == events::RangeOf::kBoth)
      around = ranges_around(calls, calls.events->start(index), calls.events->end_of(index));
    std::map<std::pair<RowId, RangeRef>, std::pair<std::int64_t, std::int64_t>> spans;
    for (const Launched& each : all) {
      const LinkedEvents::Work& work = linked_.work[each.work_row];
      const std::int64_t start = work.events->start(each.work);
      const std::int64_t end = work.events->end_of(each.work);
      for (const RangeRef& range : inside(work.origins[each.work], around)) {
        const auto [span, is_new] = spans.try_emplace({each.stream, range}, start, end);
        span->second = {std::min(span->second.first, start), std::max(span->second.second, end)};
      }
    }
    for (const auto& [place, span] : spans) {
      const auto& [lanes, range] = place.second;
      IdMap& ids = ids_[lanes->source(range)];
      sections_[place.first].add({span.first, span.second, lanes->name(range),
                                  ids.copy_of(ids.rowid(lanes->id(range))), 0, lanes->source(range),
                                  0});
    }
  }

 private:
  std::span<const RangeRef> inside(std::int32_t origin, const RangeRefs& around) {
    const auto [known, is_new] = of_origin_.try_emplace(origin);
    const events::NodeOrigin& at = linked_.nodes.at(origin);
    const auto thread = threads_.find(at.global_tid);
    if (is_new && thread != threads_.end())
      known->second = ranges_around(*thread->second, at.time, at.time);
    return events::inside_of_launch<RangeRef>(
        known->second, around,
        [&](const RangeRef& a, const RangeRef& b) { return a == b || stem_of(a) == stem_of(b); });
  }
  const std::string& stem_of(const RangeRef& range) {
    const std::uint32_t name = range.lanes->name(range.index);
    const auto [known, is_new] = stems_.try_emplace(name);
    if (is_new) known->second = insight::without_numbers(names_.text(name));
    return known->second;
  }

  const LinkedEvents& linked_;
  const Names& names_;
  SectionsOfStreams& sections_;
  std::vector<IdMap>& ids_;
  std::unordered_map<std::int64_t, const LinkedEvents::Calls*> threads_;
  std::unordered_map<std::int32_t, RangeRefs> of_origin_;
  std::unordered_map<std::uint32_t, std::string> stems_;
};

}  // namespace

base::Status read_origins(const report::ReportReader& reader, LinkedEvents& linked) {
  auto nodes = events::GraphNodes::read(reader);
  if (!nodes) return tl::make_unexpected(nodes.error());
  linked.nodes = std::move(*nodes);
  if (linked.nodes.all().empty()) return {};
  for (LinkedEvents::Work& work : linked.work) {
    work.origins.assign(work.events->size(), LinkedEvents::Work::kNoGraph);
    for (std::size_t source = 0; source < work.tables.size(); ++source) {
      const auto nodes_of_table = nodes_of(reader, work.tables[source]);
      if (!nodes_of_table) return tl::make_unexpected(nodes_of_table.error());
      set_origins(*nodes_of_table, static_cast<std::uint8_t>(source), linked, work);
    }
  }
  return {};
}

void project_captures(const LinkedEvents& linked, const Names& names, SectionsOfStreams& sections,
                      std::vector<IdMap>& ids) {
  std::vector<Launched> all;
  for (std::uint32_t row = 0; row < linked.work.size(); ++row) {
    const LinkedEvents::Work& work = linked.work[row];
    for (std::uint32_t i = 0; i < work.origins.size(); ++i)
      if (work.origins[i] >= 0 && work.callers[i].row != LinkedEvents::Work::kNone)
        all.push_back({work.callers[i], work.stream, row, i});
  }
  const auto call_of = [](const Launched& each) {
    return std::pair(each.call.row, each.call.index);
  };
  std::ranges::stable_sort(all, {}, call_of);
  Projection projection(linked, names, sections, ids);
  for (auto first = all.begin(); first != all.end();) {
    const auto next = std::find_if(
        first, all.end(), [&](const Launched& each) { return call_of(each) != call_of(*first); });
    projection.add({first, next});
    first = next;
  }
}

}  // namespace prof::timeline
