#include "exporters/viewer/timeline/columns/density.hpp"

#include <algorithm>
#include <limits>

#include "common/base/sorted_runs.hpp"

namespace prof::timeline {

namespace {

// A gap longer than 1 / kParts of the time ends a block, so there are at most kParts additional
// blocks. Within a block, the busy time is assumed to be evenly distributed.
constexpr std::int64_t kParts = 1 << 14;

}  // namespace

// Adds intervals and blocks to steps.
class Density::Steps {
 public:
  Steps(std::int64_t base, std::int64_t step, int count)
      : base_(base),
        step_(step),
        steps_(static_cast<std::size_t>(count)),
        longest_(steps_.size()) {}

  // Adds `busy` ns to the time from start to end, evenly distributed.
  void add(std::int64_t start, std::int64_t end, std::int64_t busy, std::int64_t longest,
           std::uint32_t name) {
    const std::int64_t last_step = static_cast<std::int64_t>(steps_.size()) - 1;
    const double share =
        end == start ? 0 : static_cast<double>(busy) / static_cast<double>(end - start);
    const std::int64_t first =
        std::max<std::int64_t>(0, start < base_ ? 0 : (start - base_) / step_);
    const std::int64_t last = std::min(last_step, (std::max(end - 1, start) - base_) / step_);
    for (std::int64_t i = first; i <= last; ++i) {
      const std::int64_t from = std::max(start, base_ + i * step_);
      const std::int64_t to = std::min(end, base_ + (i + 1) * step_);
      auto& at = steps_[static_cast<std::size_t>(i)];
      auto& most = longest_[static_cast<std::size_t>(i)];
      at.busy +=
          static_cast<float>(share * static_cast<double>(to - from) / static_cast<double>(step_));
      if (longest + 1 > most) {
        most = longest + 1;
        at.name = name;
      }
    }
  }
  std::vector<Step> finish(double share_read) {
    for (Step& step : steps_)
      step.busy = std::min(1.0F, step.busy / static_cast<float>(share_read));
    return std::move(steps_);
  }

 private:
  std::int64_t base_;
  std::int64_t step_;
  std::vector<Step> steps_;
  std::vector<std::int64_t> longest_;  // ns + 1, the longest event of each step
};

Density::Density(std::vector<std::shared_ptr<const EventLanes>> rows, double share_read)
    : rows_(std::move(rows)), share_read_(share_read) {
  for (const auto& row : rows_)
    for (const std::uint32_t lane : row->covering_lanes())
      if (row->begin(lane) < row->end(lane)) lanes_.push_back({row.get(), lane});
  build_blocks();
}

std::size_t Density::events_in(std::int64_t from, std::int64_t to) const {
  std::size_t events = 0;
  for (const auto& [row, lane] : lanes_) {
    const std::size_t first = row->first_shown(lane, from);
    events += row->first_from(lane, first, to) - first;
    if (events > kMaxMerged) break;
  }
  return events;
}

std::vector<Density::Interval> Density::merged(std::int64_t from, std::int64_t to) const {
  std::vector<Interval> all;
  const auto by_start = [](const Interval& a, const Interval& b) { return a.start < b.start; };
  for (const auto& [row, lane] : lanes_) {
    const std::size_t end = row->end(lane);
    for (std::size_t i = row->first_shown(lane, from); i < end && row->start(i) < to; ++i)
      all.push_back({std::max(row->start(i), from), std::min(row->shown_end(i), to),
                     row->duration(i), row->name(i)});
  }
  base::sort_runs(all, by_start);  // each lane is sorted
  std::size_t last = 0;
  for (std::size_t i = 1; i < all.size(); ++i) {
    Interval& open = all[last];
    if (all[i].start > open.end) {
      all[++last] = all[i];
      continue;
    }
    open.end = std::max(open.end, all[i].end);
    if (all[i].longest > open.longest) {
      open.longest = all[i].longest;
      open.name = all[i].name;
    }
  }
  if (!all.empty()) all.resize(last + 1);
  return all;
}

// Returns times that divide the events into parts of about kMaxMerged.
std::vector<std::int64_t> Density::slices() const {
  constexpr std::size_t kEvery = 1024;
  std::vector<std::int64_t> starts;
  std::int64_t last = std::numeric_limits<std::int64_t>::min();
  for (const auto& [row, lane] : lanes_) {
    for (std::size_t i = row->begin(lane); i < row->end(lane); i += kEvery)
      starts.push_back(row->start(i));
    last = std::max(last, row->shown_end(row->end(lane) - 1));
  }
  std::sort(starts.begin(), starts.end());
  std::vector<std::int64_t> result;
  for (std::size_t i = 0; i < starts.size(); i += kMaxMerged / kEvery)
    if (result.empty() || starts[i] > result.back()) result.push_back(starts[i]);
  if (!result.empty()) result.push_back(last + 1);
  return result;
}

void Density::build_blocks() {
  std::size_t events = 0;
  for (const auto& [row, lane] : lanes_) events += row->end(lane) - row->begin(lane);
  const std::vector<std::int64_t> times = slices();
  if (times.empty()) return;
  const bool keep = events > kMaxMerged;
  const std::int64_t gap = (times.back() - times.front()) / kParts;
  std::size_t in_block = 0;
  for (std::size_t i = 0; i + 1 < times.size(); ++i) {
    for (const Interval& each : merged(times[i], times[i + 1])) {
      busy_ += each.end - each.start;
      if (!keep) continue;
      const auto longest = static_cast<std::uint32_t>(
          std::min<std::int64_t>(each.longest, std::numeric_limits<std::uint32_t>::max()));
      const bool is_new =
          blocks_.empty() || in_block == kBlockEvents || each.start - blocks_.back().end > gap;
      if (is_new) {
        blocks_.push_back({each.start, each.end, 0, longest, each.name});
        in_block = 0;
      }
      Block& block = blocks_.back();
      block.end = each.end;
      block.busy += each.end - each.start;
      if (longest > block.longest) {
        block.longest = longest;
        block.name = each.name;
      }
      ++in_block;
    }
  }
  blocks_.shrink_to_fit();
}

std::vector<Density::Step> Density::steps(std::int64_t base, std::int64_t step, int count) const {
  Steps steps(base, step, count);
  const std::int64_t end = base + step * count;
  if (blocks_.empty() || events_in(base, end) <= kMaxMerged) {
    for (const Interval& each : merged(base, end))
      steps.add(each.start, each.end, each.end - each.start, each.longest, each.name);
    return steps.finish(share_read_);
  }
  auto block = std::lower_bound(blocks_.begin(), blocks_.end(), base,
                                [](const Block& a, std::int64_t time) { return a.end <= time; });
  for (; block != blocks_.end() && block->start < end; ++block)
    steps.add(block->start, block->end, block->busy, block->longest, block->name);
  return steps.finish(share_read_);
}

}  // namespace prof::timeline
