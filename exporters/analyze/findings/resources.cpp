// Findings about memory, streams and the profiler itself.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "exporters/analyze/findings/finding.hpp"

namespace prof::analyze {

std::optional<Finding> allocator_churn(const Facts& facts) {
  constexpr std::int64_t kLeast = 10;
  std::int64_t count = 0;
  std::int64_t time = 0;
  std::map<std::string, std::int64_t> by_name;
  for (const events::ApiCall& call : facts.calls.calls()) {
    if (facts.calls.kind(call) != insight::CallKind::kAllocation ||
        !insight::is_blocking_allocation(facts.calls.name(call)) || !facts.is_within_span(call))
      continue;
    ++count;
    time += call.end - call.start;
    by_name[facts.calls.name(call)] += call.end - call.start;
  }
  if (count < kLeast) return std::nullopt;
  const auto top =
      std::max_element(by_name.begin(), by_name.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  return Finding{
      "allocator_churn", "Memory is allocated and freed while the GPU should work", time,
      fmt::format("{} calls between the first and the last GPU operation, most time in {}", count,
                  top->first),
      "Allocate once and reuse, or use cudaMallocAsync and its pools; in PyTorch look for "
      "torch.cuda.empty_cache() and fragmentation (expandable_segments:True)"};
}

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
  return Finding{"single_stream", "Streams were created and all work runs on one", could_overlap,
                 fmt::format("{} streams created; all {} operations on stream {}", created,
                             facts.work.operations().size(), used.begin()->second),
                 "Launch independent work on streams of its own; what is launched on the default "
                 "stream waits for all others"};
}

std::optional<Finding> profiler_overhead(const Facts& facts) {
  if (facts.profiler_overhead == 0) return std::nullopt;
  return Finding{
      "profiler_overhead", "The profiler took so long that the times cannot be trusted",
      facts.profiler_overhead,
      "PROFILER_OVERHEAD has where; recording of everything makes a program of short "
      "kernels longer",
      "Trace less (-t cuda,nvtx, no back-traces), or a shorter part of the run (--delay, "
      "--duration, -c cudaProfilerApi)"};
}

}  // namespace prof::analyze
