#include "exporters/analysis/analyze/program/share_clock.hpp"

#include <algorithm>

namespace prof::analyze {

namespace {

// The start or the end of a thread's time with a rank.
struct Change {
  std::int64_t time;
  std::uint8_t rank;
  bool is_begin;
};

// Returns the changes of the threads. Adjacent periods of one thread with the same rank have no
// change between them.
std::vector<Change> changes_of(std::span<const Period> periods) {
  std::vector<Change> changes;
  for (std::size_t i = 0; i < periods.size();) {
    const Period& first = periods[i];
    const std::size_t rank = rank_of(first.activity);
    std::int64_t end = first.end;
    for (++i; i < periods.size() && periods[i].thread == first.thread && periods[i].start == end &&
              rank_of(periods[i].activity) == rank;
         ++i)
      end = periods[i].end;
    if (first.start == end) continue;
    changes.push_back({first.start, static_cast<std::uint8_t>(rank), true});
    changes.push_back({end, static_cast<std::uint8_t>(rank), false});
  }
  std::sort(changes.begin(), changes.end(),
            [](const Change& a, const Change& b) { return a.time < b.time; });
  return changes;
}

}  // namespace

ShareClock::ShareClock(std::span<const Period> periods) {
  const std::vector<Change> changes = changes_of(periods);
  std::array<std::uint32_t, kRanks> threads{};
  for (auto at = changes.begin(); at != changes.end();) {
    const std::int64_t time = at->time;
    for (; at != changes.end() && at->time == time; ++at)
      threads[at->rank] += at->is_begin ? 1u : UINT32_MAX;  // UINT32_MAX wraps around: - 1
    add_step(time, threads);
  }
}

void ShareClock::add_step(std::int64_t time, const std::array<std::uint32_t, kRanks>& threads) {
  bool is_first = true;  // true while no earlier rank has a thread
  for (std::size_t rank = 0; rank < kRanks; ++rank) {
    const std::uint32_t number = is_first ? threads[rank] : 0;
    is_first = is_first && threads[rank] == 0;
    std::vector<Step>& steps = steps_[rank].all;
    if (steps.empty() ? number == 0 : steps.back().threads == number) continue;
    const Step* last = steps.empty() ? nullptr : &steps.back();
    steps.push_back({time, number, last != nullptr ? last->until(time) : 0});
  }
}

const ShareClock::Step* ShareClock::Steps::at(std::int64_t time) {
  if (last >= all.size() || all[last].time > time) last = 0;
  // Skips steps at a growing distance until a step is too late.
  std::size_t end = last + 1;
  for (std::size_t step = 1; end < all.size() && all[end].time <= time; step *= 2) {
    last = end;
    end += step;
  }
  const auto next =
      std::upper_bound(all.begin() + static_cast<std::ptrdiff_t>(last),
                       all.begin() + static_cast<std::ptrdiff_t>(std::min(end, all.size())), time,
                       [](std::int64_t value, const Step& step) { return value < step.time; });
  if (next == all.begin()) return nullptr;
  last = static_cast<std::size_t>(next - all.begin()) - 1;
  return &all[last];
}

double ShareClock::Steps::until(std::int64_t time) {
  const Step* step = at(time);
  return step == nullptr ? 0 : step->until(time);
}

double ShareClock::share(Activity activity, std::int64_t start, std::int64_t end) {
  Steps& steps = steps_[rank_of(activity)];
  const double before = steps.until(start);
  return steps.until(end) - before;
}

double ShareClock::part_of_running(std::int64_t time) {
  const Step* step = steps_[rank_of(Activity::kRunning)].at(time);
  return step == nullptr || step->threads == 0 ? 1 : 1.0 / step->threads;
}

}  // namespace prof::analyze
