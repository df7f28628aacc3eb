#include "exporters/analysis/insight/intervals.hpp"

#include <algorithm>
#include <limits>

namespace prof::insight {

Intervals merged(std::vector<Interval> any) {
  std::sort(any.begin(), any.end(),
            [](const Interval& a, const Interval& b) { return a.start < b.start; });
  Intervals result;
  for (const Interval& each : any) {
    if (each.end <= each.start) continue;
    if (!result.empty() && each.start <= result.back().end)
      result.back().end = std::max(result.back().end, each.end);
    else
      result.push_back(each);
  }
  return result;
}

std::int64_t total(const Intervals& intervals) {
  std::int64_t sum = 0;
  for (const Interval& each : intervals) sum += each.length();
  return sum;
}

Intervals intersection(const Intervals& a, const Intervals& b) {
  Intervals result;
  for (auto x = a.begin(), y = b.begin(); x != a.end() && y != b.end();) {
    const Interval both{std::max(x->start, y->start), std::min(x->end, y->end)};
    if (both.end > both.start) result.push_back(both);
    if (x->end < y->end)
      ++x;
    else
      ++y;
  }
  return result;
}

Intervals difference(const Intervals& a, const Intervals& b) {
  Intervals result;
  auto taken = b.begin();
  for (Interval rest : a) {
    while (taken != b.end() && taken->end <= rest.start) ++taken;
    for (auto at = taken; at != b.end() && at->start < rest.end; ++at) {
      if (at->start > rest.start) result.push_back({rest.start, at->start});
      rest.start = std::max(rest.start, at->end);
    }
    if (rest.length() > 0) result.push_back(rest);
  }
  return result;
}

Intervals overlaps(std::vector<Interval> any) {
  std::sort(any.begin(), any.end(),
            [](const Interval& a, const Interval& b) { return a.start < b.start; });
  Intervals result;
  std::int64_t reach = std::numeric_limits<std::int64_t>::min();
  for (const Interval& each : any) {
    if (reach > each.start) result.push_back({each.start, std::min(each.end, reach)});
    reach = std::max(reach, each.end);
  }
  return merged(std::move(result));
}

namespace {

template <class Visit>
void for_each_within(const Intervals& intervals, const Interval& time, Visit visit) {
  auto at = std::partition_point(intervals.begin(), intervals.end(),
                                 [&](const Interval& each) { return each.end <= time.start; });
  for (; at != intervals.end() && at->start < time.end; ++at)
    visit(Interval{std::max(at->start, time.start), std::min(at->end, time.end)});
}

}  // namespace

Intervals within(const Intervals& intervals, const Interval& time) {
  Intervals result;
  for_each_within(intervals, time, [&](const Interval& part) { result.push_back(part); });
  return result;
}

std::int64_t covered(const Intervals& intervals, std::int64_t start, std::int64_t end) {
  std::int64_t sum = 0;
  for_each_within(intervals, {start, end}, [&](const Interval& part) { sum += part.length(); });
  return sum;
}

}  // namespace prof::insight
