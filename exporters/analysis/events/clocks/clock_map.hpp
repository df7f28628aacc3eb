// Puts the times of a report on the common clock of several reports.
#pragma once

#include <cmath>
#include <cstdint>

#include "exporters/analysis/events/sums.hpp"

namespace prof::events {

struct ClockMap {
  std::int64_t offset = 0;  // ns, added to the report's times
  double drift = 0;         // ns per ns, added for the time since `middle`; far below 1
  std::int64_t middle = 0;  // ns, a time of the report

  bool operator==(const ClockMap&) const = default;

  // Returns the time on the common clock. Does not fall when `time` rises.
  std::int64_t common(std::int64_t time) const { return sum(sum(time, offset), correction(time)); }

  // Returns the first time of the report that is not before `time` of the common clock. An end of
  // the range of numbers stands for an unlimited time, and stays.
  std::int64_t own(std::int64_t time) const {
    if (time == INT64_MIN || time == INT64_MAX) return time;
    const std::int64_t without_drift = sum(time, offset == INT64_MIN ? INT64_MAX : -offset);
    constexpr std::int64_t kMost = std::int64_t{1} << 61;
    if (drift == 0 || without_drift > kMost || without_drift < -kMost) return without_drift;
    std::int64_t own = without_drift - correction(without_drift);
    own += time - common(own);  // the drift during the correction
    while (common(own) < time) ++own;
    while (common(own - 1) >= time) --own;
    return own;
  }

 private:
  // Rounds as JavaScript does, because the page of prof view computes the same times.
  std::int64_t correction(std::int64_t time) const {
    if (drift == 0) return 0;
    const double passed = static_cast<double>(time) - static_cast<double>(middle);
    return static_cast<std::int64_t>(std::floor(drift * passed + 0.5));
  }
};

}  // namespace prof::events
