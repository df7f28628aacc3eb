// Findings about steps as wholes.
#include <fmt/format.h>

#include <algorithm>

#include "exporters/analyze/findings/finding.hpp"
#include "exporters/tables/percent.hpp"

namespace prof::analyze {

std::optional<Finding> exposed_communication(const Facts& facts) {
  std::int64_t exposed = 0;
  std::int64_t hidden = 0;
  for (const insight::Breakdown& each : facts.breakdowns) {
    exposed += each.exposed_communication;
    hidden += each.hidden_communication;
  }
  const insight::Operation* longest = nullptr;
  std::int64_t count = 0;
  for (const insight::Operation& each : facts.work.operations()) {
    if (!each.communication) continue;
    ++count;
    if (longest == nullptr || each.duration() > longest->duration()) longest = &each;
  }
  if (exposed == 0 || longest == nullptr) return std::nullopt;
  return Finding{
      "exposed_communication", "GPUs communicate and compute nothing meanwhile", exposed,
      fmt::format("{} kernels, {:.1f} % of their time hidden by compute; the longest takes {} at "
                  "{:.6f} s: {}",
                  count, tables::percent(hidden, hidden + exposed), time_text(longest->duration()),
                  static_cast<double>(longest->start) / 1e9, facts.work.name_of(*longest)),
      "Let it overlap with the backward pass: DDP's buckets (bucket_cap_mb), FSDP's prefetching, "
      "gradient accumulation; look for a slow rank where one kernel waits for the others"};
}

std::optional<Finding> uneven_iterations(const Facts& facts) {
  constexpr std::size_t kLeast = 4;  // of fewer none is usual
  std::int64_t lost = 0;
  std::int64_t count = 0;
  std::int64_t slow = 0;
  const insight::Interval* worst = nullptr;
  std::int64_t usual = 0;
  for (const insight::Iterations& each : facts.iterations) {
    if (each.times.size() < kLeast) continue;
    std::vector<std::int64_t> lengths;
    for (const insight::Interval& time : each.times) lengths.push_back(time.length());
    const auto middle = lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 2);
    std::nth_element(lengths.begin(), middle, lengths.end());
    for (const insight::Interval& time : each.times) {
      ++count;
      if (2 * time.length() < 3 * *middle) continue;
      ++slow;
      lost += time.length() - *middle;
      if (worst != nullptr && worst->length() >= time.length()) continue;
      worst = &time;
      usual = *middle;
    }
  }
  if (slow == 0) return std::nullopt;
  return Finding{
      "uneven_iterations", "Some iterations take much longer than the others", lost,
      fmt::format("{} of {} take half as long again as the median or more; the longest {} against "
                  "{}, at {:.6f} s",
                  slow, count, time_text(worst->length()), time_text(usual),
                  static_cast<double>(worst->start) / 1e9),
      "prof stats -r iteration_sum says what the longest has more of; look for checkpoints, "
      "evaluations, logging and garbage collection at that time"};
}

}  // namespace prof::analyze
