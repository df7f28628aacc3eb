#include "collector/spool/clock_model.hpp"

#include <time.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <string>

#include "common/base/raw_time.hpp"
#include "common/wire/machine/machine.hpp"

namespace prof::spool {

namespace {

std::int64_t read_clock(clockid_t clock) {
  return static_cast<std::int64_t>(base::clock_ns(clock));
}

}  // namespace

ClockTriple read_clocks(bool use_tsc) {
  ClockTriple best{};
  std::uint64_t best_window = ~std::uint64_t{0};
  for (int i = 0; i < 8; ++i) {
    const std::uint64_t before = wire::read_ticks();
    const std::int64_t monotonic = read_clock(CLOCK_MONOTONIC_RAW);
    const std::int64_t realtime = read_clock(CLOCK_REALTIME);
    const std::uint64_t after = wire::read_ticks();
    if (after - before >= best_window) continue;
    best_window = after - before;
    // CLOCK_MONOTONIC_RAW is read about a quarter into the window, which is shorter than 100 ns.
    best = {use_tsc ? before + best_window / 4 : static_cast<std::uint64_t>(monotonic), monotonic,
            realtime};
  }
  return best;
}

bool tsc_is_reliable() {
  std::ifstream file("/sys/devices/system/clocksource/clocksource0/current_clocksource");
  std::string source;
  return file >> source && source == wire::kTickSource;
}

double measure_tsc_rate(const ClockTriple& start) {
  constexpr std::int64_t kEnough = 500'000;
  ClockTriple end = read_clocks(true);
  if (const std::int64_t left = kEnough - (end.monotonic - start.monotonic); left > 0) {
    const timespec pause{0, left};
    nanosleep(&pause, nullptr);
    end = read_clocks(true);
  }
  const auto ns = static_cast<double>(end.monotonic - start.monotonic);
  return ns > 0 ? static_cast<double>(end.ticks - start.ticks) / ns * 1e9 : 1e9;
}

ClockModel::ClockModel(std::span<const ClockTriple> triples, double fallback_rate) {
  const double fallback = fallback_rate > 1 ? 1e9 / fallback_rate : 1.0;
  if (triples.empty()) {
    segments_.push_back({0, 0, fallback});
    return;
  }
  const std::int64_t zero = origin_ = triples.front().monotonic;
  const ClockTriple* previous = &triples.front();
  for (const ClockTriple& triple : triples.subspan(1)) {
    if (triple.ticks <= previous->ticks || triple.monotonic <= previous->monotonic) continue;
    const double slope = static_cast<double>(triple.monotonic - previous->monotonic) /
                         static_cast<double>(triple.ticks - previous->ticks);
    segments_.push_back({previous->ticks, previous->monotonic - zero, slope});
    previous = &triple;
  }
  if (segments_.empty()) segments_.push_back({previous->ticks, 0, fallback});
  end_ = previous->monotonic - zero;
}

void ClockModel::set_zero(std::int64_t ns) {
  for (Segment& segment : segments_) segment.ns -= ns;
  origin_ += ns;
  end_ -= ns;
}

std::int64_t ClockModel::to_ns(std::uint64_t ticks) const {
  const bool fits = (hint_ == 0 || ticks >= segments_[hint_].ticks) &&
                    (hint_ + 1 == segments_.size() || ticks < segments_[hint_ + 1].ticks);
  if (!fits) hint_ = find_segment(ticks);
  const Segment& segment = segments_[hint_];
  const auto delta = static_cast<double>(static_cast<std::int64_t>(ticks - segment.ticks));
  // A damaged recording can contain any reading.
  constexpr double kMaxDistance = 1e18;  // 31 years
  const double ns =
      std::clamp(std::floor(delta * segment.ns_per_tick), -kMaxDistance, kMaxDistance);
  return segment.ns + static_cast<std::int64_t>(ns);
}

// Returns the last segment that starts at or before `ticks`, else the first.
std::size_t ClockModel::find_segment(std::uint64_t ticks) const {
  const auto after = std::upper_bound(
      segments_.begin(), segments_.end(), ticks,
      [](std::uint64_t time, const Segment& segment) { return time < segment.ticks; });
  return after == segments_.begin() ? 0 : static_cast<std::size_t>(after - segments_.begin()) - 1;
}

}  // namespace prof::spool
