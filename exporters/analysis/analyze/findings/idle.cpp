// Findings about idle GPUs.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "common/base/median.hpp"
#include "common/base/text/marked_name.hpp"
#include "exporters/analysis/analyze/findings/amount_text.hpp"
#include "exporters/analysis/analyze/findings/finding.hpp"
#include "exporters/analysis/analyze/findings/verdict.hpp"
#include "exporters/analysis/insight/names.hpp"

namespace prof::analyze {

namespace {

using insight::IdleTime;

template <class Key>
const Key* key_of_most(const std::map<Key, std::int64_t>& times) {
  const auto at = std::max_element(
      times.begin(), times.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return at == times.end() ? nullptr : &at->first;
}

// Idle times of one kind, and the ranges and calls that they are in.
struct IdleGroup {
  std::int64_t count = 0;
  std::int64_t total = 0;
  const IdleTime* longest = nullptr;
  std::map<std::string, std::int64_t> ranges;
  std::map<std::string, std::int64_t> calls;

  std::string text() const {
    std::string result = count_text(count, "idle time");
    const std::string* range = key_of_most(ranges);
    const std::string* call = key_of_most(calls);
    if (range != nullptr) result += ", most in NVTX range " + base::mark_name("range", *range);
    if (call != nullptr)
      result += (range != nullptr ? " and " : ", most in ") + base::mark_name("call", *call);
    return result + fmt::format("; the longest is {} at {:.6f} s",
                                time_text(longest->time.length()),
                                static_cast<double>(longest->time.start) / 1e9);
  }
};

template <class Fits>
IdleGroup place_of(const Facts& facts, Fits fits) {
  IdleGroup place;
  for (const IdleTime& each : facts.idle) {
    if (!fits(each)) continue;
    const std::int64_t length = each.time.length();
    ++place.count;
    place.total += length;
    if (place.longest == nullptr || length > place.longest->time.length()) place.longest = &each;
    if (each.range != events::RangeTree::kNone)
      place.ranges[insight::without_numbers(
          insight::without_arguments(facts.ranges.name_of(facts.ranges.at(each.range))))] += length;
    if (each.call != IdleTime::kNoCall) place.calls[facts.calls.name_at(each.call)] += length;
  }
  return place;
}

template <class Fits>
std::optional<Finding> finding_of_idle_times(const Facts& facts, Fits fits, const char* rule,
                                             const char* sentence, const char* remedy) {
  const IdleGroup place = place_of(facts, fits);
  if (place.count == 0) return std::nullopt;
  return Finding{rule,         sentence, place.total,
                 place.text(), remedy,   where_of(facts, *place.longest)};
}

auto is_bound_by(const Facts& facts, Bound bound) {
  return [&facts, bound](const IdleTime& each) { return bound_of(facts, each) == bound; };
}

// Adds to the finding what the launching threads do in these times, if the report shows it.
std::optional<Finding> with_work(std::optional<Finding> finding, const HostWork& work) {
  if (!finding || work.text.empty()) return finding;
  finding->evidence += "; in these times the launching thread spends " + work.text;
  if (!work.remedy.empty()) finding->remedy = work.remedy;
  return finding;
}

void add_lengths_of_kernels(Finding& finding, const Facts& facts) {
  std::vector<std::int64_t> lengths;
  for (const insight::Operation& each : facts.work.operations())
    if (each.kind == insight::WorkKind::kKernel) lengths.push_back(each.duration());
  if (lengths.empty()) return;
  finding.evidence += fmt::format("; {}, median {}",
                                  count_text(static_cast<std::int64_t>(lengths.size()), "kernel"),
                                  time_text(base::upper_median(lengths)));
}

}  // namespace

std::optional<Finding> synchronization(const Facts& facts) {
  return finding_of_idle_times(
      facts, is_bound_by(facts, Bound::kSynchronization), "synchronization",
      "The GPU is idle because the CPU waits for it before launching more work",
      "Synchronize less: remove cudaDeviceSynchronize, move .item(), .cpu() and "
      "prints of tensors out of the step, order streams with cudaStreamWaitEvent");
}

std::optional<Finding> slow_calls(const Facts& facts) {
  const bool reports_allocations = allocator_churn(facts).has_value();
  return finding_of_idle_times(
      facts,
      [&](const IdleTime& each) {
        const bool is_reported = reports_allocations && each.call != IdleTime::kNoCall &&
                                 facts.calls.kind_at(each.call) == insight::CallKind::kAllocation;
        return insight::kind_of(each, facts.calls) == insight::IdleKind::kCalls && !is_reported;
      },
      "slow_calls", "The GPU is idle while the launching thread is in slow CUDA calls",
      "Move one-time work out of the loop: load modules and compile first (a warm-up, "
      "CUDA_MODULE_LOADING=EAGER), allocate in advance, pin the host memory that is copied");
}

std::optional<Finding> launch_bound(const Facts& facts) {
  auto finding = finding_of_idle_times(
      facts,
      [&](const IdleTime& each) {
        return insight::kind_of(each, facts.calls) == insight::IdleKind::kLaunches;
      },
      "launch_bound",
      "Launch-bound: kernels finish faster than the CPU launches them, so the GPU is idle in "
      "between",
      "Launch fewer and longer kernels: CUDA graphs (torch.cuda.graph, "
      "torch.compile(mode=\"reduce-overhead\")), fusion, larger batches");
  if (!finding) return finding;
  // The launches that remain take time, too. Where copies or waits empty the queue of launches,
  // other findings have the remedy.
  finding->saved_part = 0.5;
  add_lengths_of_kernels(*finding, facts);
  return finding;
}

std::optional<Finding> graph_gaps(const Facts& facts) {
  auto finding = finding_of_idle_times(
      facts, is_bound_by(facts, Bound::kGraphs), "graph_gaps",
      "The GPU is idle between the nodes of CUDA graphs: each node waits for the one before it",
      "Capture independent work on several streams, so that branches of the graph overlap; use "
      "programmatic dependent launch; fuse short kernels. Tracing each node lengthens these gaps: "
      "compare with --cuda-graph-trace=graph");
  if (!finding) return finding;
  finding->saved_part = 0.5;  // nodes that remain have gaps, too
  add_lengths_of_kernels(*finding, facts);
  return finding;
}

std::optional<Finding> data_loading(const Facts& facts) {
  return with_work(
      finding_of_idle_times(
          facts, is_bound_by(facts, Bound::kDataLoading), "data_loading",
          "The GPU is idle while the launching thread waits for data",
          "Load data in advance: more DataLoader workers, pin_memory=True, prefetch_factor, "
          ".to(device, non_blocking=True); faster storage or cheaper decoding"),
      facts.loading_work);
}

std::optional<Finding> cpu_bound(const Facts& facts) {
  const HostWork& work = facts.cpu_work;
  const char* remedy = "Move that work off the launching thread or onto the GPU";
  if (work.text.empty())
    remedy =
        "Move that work off the launching thread or onto the GPU; CPU samples (prof profile -s "
        "process-tree) and NVTX ranges show what it is";
  else if (work.sleeps)
    remedy = "Do not sleep in the launching thread: wait for the event itself, in another thread";
  return with_work(
      finding_of_idle_times(facts, is_bound_by(facts, Bound::kCpu), "cpu_bound",
                            work.sleeps ? "The GPU is idle while the launching thread sleeps"
                                        : "The GPU is idle while the CPU computes between launches",
                            remedy),
      work);
}

}  // namespace prof::analyze
