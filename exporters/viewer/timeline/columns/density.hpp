// Computes how busy a group of rows is: the share of each step of time that at least one event
// covers.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "exporters/viewer/timeline/columns/event_lanes.hpp"

namespace prof::timeline {

class Density {
 public:
  // `share_read` is the share of the events in `rows`; it is less than 1 if they are a sample.
  explicit Density(std::vector<std::shared_ptr<const EventLanes>> rows, double share_read = 1);

  struct Step {
    float busy = 0;          // 0 to 1
    std::uint32_t name = 0;  // name of the longest event
  };
  std::vector<Step> steps(std::int64_t base, std::int64_t step, int count) const;

  bool is_exact() const { return share_read_ == 1; }
  // Returns the time with at least one event, in ns.
  std::int64_t busy() const { return busy_; }

 private:
  // If the requested time has fewer events than this, their intervals are merged.
  static constexpr std::size_t kMaxMerged = 64 << 10;
  static constexpr std::size_t kBlockEvents = 16;

  struct Lane {
    const EventLanes* events;
    std::uint32_t lane;
  };
  // Time that events cover without a gap.
  struct Interval {
    std::int64_t start;
    std::int64_t end;
    std::int64_t longest;  // ns, duration of the longest event
    std::uint32_t name;    // name of the longest event
  };
  // Several consecutive intervals.
  struct Block {
    std::int64_t start;
    std::int64_t end;
    std::int64_t busy;  // ns
    std::uint32_t longest;
    std::uint32_t name;
  };
  class Steps;

  std::size_t events_in(std::int64_t from, std::int64_t to) const;
  // Returns the union of the events in [from, to), clipped to that time.
  std::vector<Interval> merged(std::int64_t from, std::int64_t to) const;
  std::vector<std::int64_t> slices() const;
  void build_blocks();

  std::vector<std::shared_ptr<const EventLanes>> rows_;
  std::vector<Lane> lanes_;
  std::vector<Block> blocks_;  // empty unless there are many events
  double share_read_;
  std::int64_t busy_ = 0;
};

}  // namespace prof::timeline
