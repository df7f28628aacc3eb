// Holds the data for the tiles of one row. Snapshots share it; it does not change.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "exporters/viewer/timeline/columns/counter_lanes.hpp"
#include "exporters/viewer/timeline/columns/density.hpp"
#include "exporters/viewer/timeline/columns/event_lanes.hpp"
#include "exporters/viewer/timeline/columns/id_map.hpp"

namespace prof::timeline {

// One bit for each event of a row.
class EventBits {
 public:
  explicit EventBits(std::size_t events) : words_((events + 63) / 64) {}
  void set(std::size_t index) { words_[index / 64] |= std::uint64_t{1} << index % 64; }
  bool has(std::size_t index) const { return (words_[index / 64] >> index % 64 & 1) != 0; }
  // True if one of these events has its bit set.
  bool has_any(std::size_t from, std::size_t to) const {
    for (; from < to; from += from % 64 == 0 && words_[from / 64] == 0 ? 64 : 1)
      if (has(from)) return true;
    return false;
  }

 private:
  std::vector<std::uint64_t> words_;
};

// A curve that is made when it is requested for the first time.
class LaterCounter {
 public:
  explicit LaterCounter(std::function<std::shared_ptr<const CounterLanes>()> make)
      : make_(std::move(make)) {}
  const CounterLanes& get() {
    std::call_once(once_, [&] {
      counter_ = make_();
      make_ = nullptr;
    });
    return *counter_;
  }

 private:
  std::once_flag once_;
  std::function<std::shared_ptr<const CounterLanes>()> make_;
  std::shared_ptr<const CounterLanes> counter_;
};

struct RowData {
  // At most one of these four is set.
  std::shared_ptr<const EventLanes> events;
  std::shared_ptr<const CounterLanes> counter;
  std::shared_ptr<LaterCounter> later;
  std::shared_ptr<const Density> density;

  std::shared_ptr<const EventBits> linked;   // events with links
  std::shared_ptr<const EventBits> on_path;  // events on the critical path
  // The events that make a group busy; null: all events.
  std::shared_ptr<const EventLanes> busy;
  std::shared_ptr<const std::vector<IdMap>> ids;  // by source; null: ids are rowids
  bool exact = false;

  std::int64_t rowid(std::uint8_t source, std::uint32_t id) const {
    return ids == nullptr ? id : (*ids)[source].rowid(id);
  }
  std::optional<std::uint32_t> id(std::uint8_t source, std::int64_t rowid) const {
    if (ids != nullptr) return (*ids)[source].find(rowid);
    if (rowid < 0 || rowid > UINT32_MAX) return std::nullopt;
    return static_cast<std::uint32_t>(rowid);
  }
  bool is_on_path(std::size_t from, std::size_t to) const {
    return on_path != nullptr && on_path->has_any(from, to);
  }
  bool is_linked(std::size_t index) const { return linked != nullptr && linked->has(index); }
};

}  // namespace prof::timeline
