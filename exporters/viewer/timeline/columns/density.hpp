// How busy a group of rows is: the share of each step of time that at least one event covers.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "exporters/viewer/timeline/columns/event_lanes.hpp"

namespace prof::timeline {

class Density {
 public:
  // `share_read`: of the events; less than 1 if they are from a sample.
  explicit Density(std::vector<std::shared_ptr<const EventLanes>> rows, double share_read = 1);

  struct Step {
    float busy = 0;          // 0 to 1
    std::uint32_t name = 0;  // of the longest event
  };
  std::vector<Step> steps(std::int64_t base, std::int64_t step, int count) const;

  bool is_exact() const { return share_read_ == 1; }
  // The time with at least one event, ns.
  std::int64_t busy() const { return busy_; }

 private:
  // With fewer events in the time that is asked for, their intervals are merged.
  static constexpr std::size_t kMostMerged = 64 << 10;
  static constexpr std::size_t kBlockEvents = 16;

  struct Lane {
    const EventLanes* events;
    std::uint32_t lane;
  };
  // Time that events cover without a gap.
  struct Interval {
    std::int64_t start;
    std::int64_t end;
    std::int64_t longest;  // the duration of its longest event
    std::uint32_t name;    // of that event
  };
  // Some of these intervals, one after another.
  struct Block {
    std::int64_t start;
    std::int64_t end;
    std::int64_t busy;  // ns
    std::uint32_t longest;
    std::uint32_t name;
  };
  class Steps;

  std::size_t events_in(std::int64_t from, std::int64_t to) const;
  // The union of the events in [from, to), cut to it.
  std::vector<Interval> merged(std::int64_t from, std::int64_t to) const;
  std::vector<std::int64_t> slices() const;
  void build_blocks();

  std::vector<std::shared_ptr<const EventLanes>> rows_;
  std::vector<Lane> lanes_;
  std::vector<Block> blocks_;  // only if there are many events
  double share_read_;
  std::int64_t busy_ = 0;
};

}  // namespace prof::timeline
