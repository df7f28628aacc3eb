// Findings about whole iterations.
#include <fmt/format.h>

#include <algorithm>

#include "common/base/text/marked_name.hpp"
#include "exporters/analysis/analyze/findings/amount_text.hpp"
#include "exporters/analysis/analyze/findings/finding.hpp"
#include "exporters/analysis/analyze/findings/wait_reasons.hpp"
#include "exporters/analysis/events/sums.hpp"
#include "exporters/analysis/tables/percent.hpp"

namespace prof::analyze {

std::optional<Finding> exposed_communication(const Facts& facts) {
  std::int64_t exposed = 0;
  std::int64_t hidden = 0;
  for (const insight::Breakdown& each : facts.breakdowns) {
    exposed += each.exposed_communication;
    hidden += each.hidden_communication;
  }
  std::optional<insight::Operation> longest;
  std::int64_t count = 0;
  for (const insight::Operation& each : facts.work.operations()) {
    if (!each.communication) continue;
    ++count;
    if (!longest || each.duration() > longest->duration()) longest = each;
  }
  // The rule late_processes reports the times in which devices wait for others.
  exposed -= facts.peer_wait();
  if (exposed <= 0 || !longest) return std::nullopt;
  return Finding{
      "exposed_communication",
      "Communication is not overlapped with computation",
      exposed,
      fmt::format(
          "{} kernels, {:.1f} % of their time overlapped with compute; the longest takes {} at "
          "{:.6f} s: {}",
          count, tables::percent(hidden, hidden + exposed + facts.peer_wait()),
          time_text(longest->duration()), static_cast<double>(longest->start) / 1e9,
          base::mark_name("kernel", facts.work.name_of(*longest))),
      "Overlap it with the backward pass: DDP's buckets (bucket_cap_mb), FSDP's prefetching, "
      "gradient accumulation; look for a slow rank if one kernel waits for the others",
      where_of(facts, *longest)};
}

namespace {

// Returns the longest time in which others wait for the device.
std::optional<Where> longest_wait(const Facts& facts, const LateDevice& late) {
  const auto longest =
      std::max_element(late.times.begin(), late.times.end(),
                       [](const auto& a, const auto& b) { return a.length() < b.length(); });
  if (longest == late.times.end()) return std::nullopt;
  return Where{*longest, {}, facts.work.devices()[late.device]};
}

}  // namespace

std::optional<Finding> late_processes(const Facts& facts) {
  constexpr std::size_t kMaximum = 3;
  std::int64_t at_stake = facts.peer_wait();
  for (const LateDevice& each : facts.late) at_stake = events::sum(at_stake, each.idle);
  std::string evidence;
  for (std::size_t i = 0; i < std::min(kMaximum, facts.late.size()); ++i)
    if (10 * facts.late[i].waited >= facts.peer_wait())
      evidence += (i == 0 ? "" : "; ") + late_device_text(facts, facts.late[i]);
  if (evidence.empty()) return std::nullopt;
  return Finding{"late_processes",
                 "GPUs wait in communication kernels for a process that is late",
                 at_stake,
                 evidence,
                 "Give all processes the same work at the same time: move what only one of them "
                 "does (logging, checkpoints, slow data) to another thread, balance the batches",
                 longest_wait(facts, facts.late.front())};
}

std::optional<Finding> uneven_iterations(const Facts& facts) {
  constexpr std::size_t kMinIterations = 4;  // fewer iterations have no typical length
  std::int64_t excess = 0;
  std::int64_t count = 0;
  std::int64_t slow = 0;
  const insight::Interval* longest = nullptr;
  std::size_t device = 0;
  std::int64_t median = 0;
  for (const insight::Iterations& each : facts.iterations) {
    if (each.times.size() < kMinIterations) continue;
    const std::int64_t middle = insight::median_length(each);
    for (const insight::Interval& time : each.times) {
      ++count;
      if (!insight::is_slow(time, middle)) continue;
      ++slow;
      excess += time.length() - middle;
      if (longest != nullptr && longest->length() >= time.length()) continue;
      longest = &time;
      device = each.device;
      median = middle;
    }
  }
  if (slow == 0) return std::nullopt;
  Finding finding{
      "uneven_iterations",
      fmt::format("{} of {} iterations took at least 1.5 times the median", slow, count),
      excess,
      fmt::format("the longest iteration takes {} at {:.6f} s; the median is {}",
                  time_text(longest->length()), static_cast<double>(longest->start) / 1e9,
                  time_text(median)),
      "prof stats -r iteration_sum shows what takes more time in the longest iteration; look for "
      "checkpoints, evaluations, logging and garbage collection at that time",
      Where{*longest, {}, facts.work.devices()[device]}};
  // It says when time is lost, not why: what can be mended is in other findings, or the machine's.
  finding.saved_part = 0.5;
  return finding;
}

}  // namespace prof::analyze
