// Findings about memory allocations, streams and the profiler's overhead.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "common/base/text/marked_name.hpp"
#include "exporters/analysis/analyze/findings/finding.hpp"

namespace prof::analyze {

std::optional<Finding> allocator_churn(const Facts& facts) {
  constexpr std::int64_t kMinCalls = 10;
  std::int64_t count = 0;
  std::int64_t time = 0;
  std::map<std::string, std::int64_t> by_name;
  std::optional<events::ApiCall> longest;
  for (const events::ApiCall& call : facts.calls.calls()) {
    if (facts.calls.kind(call) != insight::CallKind::kAllocation ||
        !insight::is_blocking_allocation(facts.calls.name(call)) || !facts.is_within_span(call))
      continue;
    ++count;
    time += call.end - call.start;
    if (!longest || call.end - call.start > longest->end - longest->start) longest = call;
    by_name[facts.calls.name(call)] += call.end - call.start;
  }
  if (count < kMinCalls) return std::nullopt;
  const auto top =
      std::max_element(by_name.begin(), by_name.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  return Finding{
      "allocator_churn",
      "GPU memory is allocated and freed during the computation",
      time,
      fmt::format("{} calls between the first and the last GPU operation; the most time is in {}",
                  count, base::mark_name("call", top->first)),
      "Allocate once and reuse the memory, or use cudaMallocAsync and its pools; in PyTorch look "
      "for "
      "torch.cuda.empty_cache() and fragmentation (expandable_segments:True)",
      where_of(*longest)};
}

namespace {

// Returns the longest copy, or the longest operation if there are no copies.
insight::Operation longest_copy(const Facts& facts) {
  const auto rank = [](const insight::Operation& each) {
    return std::pair(each.kind == insight::WorkKind::kCopy, each.duration());
  };
  return std::ranges::max(facts.work.operations(), {}, rank);
}

}  // namespace

std::optional<Finding> single_stream(const Facts& facts) {
  std::int64_t created = 0;
  for (const events::ApiCall& call : facts.calls.calls())
    if (facts.calls.name(call).starts_with("cudaStreamCreate") ||
        facts.calls.name(call).starts_with("cuStreamCreate"))
      ++created;
  std::set<std::pair<std::uint32_t, std::int32_t>> used;
  for (const insight::Operation& each : facts.work.operations())
    used.insert({each.device, each.stream});
  if (created < 2 || used.size() > facts.work.devices().size()) return std::nullopt;
  std::int64_t could_overlap = 0;
  for (const insight::Breakdown& each : facts.breakdowns)
    could_overlap += std::min(each.exposed_copies, each.compute);
  return Finding{
      "single_stream",
      "Several streams were created, but all work runs on one",
      could_overlap,
      fmt::format("{} streams created; all {} operations on stream {}", created, facts.work.size(),
                  used.begin()->second),
      "Launch independent work on separate streams; work on the default stream waits for "
      "all other streams",
      where_of(facts, longest_copy(facts))};
}

std::optional<Finding> profiler_overhead(const Facts& facts) {
  if (facts.profiler_overhead == 0) return std::nullopt;
  return Finding{
      "profiler_overhead",
      "The profiler's own overhead is too high to trust the times",
      facts.profiler_overhead,
      "Table PROFILER_OVERHEAD has the details. Programs with many short kernels slow down when "
      "everything is recorded",
      "Trace less (-t cuda,nvtx, no call chains), or a part of the run (-c cudaProfilerApi, "
      "-c nvtx)",
      Where{facts.longest_overhead}};
}

}  // namespace prof::analyze
