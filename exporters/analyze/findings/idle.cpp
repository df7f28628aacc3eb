// Findings about GPUs that have nothing to do.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "exporters/analyze/findings/finding.hpp"
#include "exporters/analyze/findings/idle_causes.hpp"
#include "exporters/insight/names.hpp"

namespace prof::analyze {

namespace {

using insight::IdleTime;

template <class Key>
const Key* most(const std::map<Key, std::int64_t>& times) {
  const auto at = std::max_element(
      times.begin(), times.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return at == times.end() ? nullptr : &at->first;
}

// Idle times of one kind, and where they are.
struct Place {
  std::int64_t count = 0;
  std::int64_t total = 0;
  const IdleTime* longest = nullptr;
  std::map<std::string, std::int64_t> ranges;
  std::map<std::string, std::int64_t> calls;

  std::string text() const {
    std::string result = count_text(count, "idle time");
    const std::string* range = most(ranges);
    const std::string* call = most(calls);
    if (range != nullptr) result += ", most in NVTX range " + *range;
    if (call != nullptr) result += (range != nullptr ? " and " : ", most in ") + *call;
    return result + fmt::format("; the longest is {} at {:.6f} s",
                                time_text(longest->time.length()),
                                static_cast<double>(longest->time.start) / 1e9);
  }
};

template <class Fits>
Place place_of(const Facts& facts, Fits fits) {
  Place place;
  for (const IdleTime& each : facts.idle) {
    if (!fits(each)) continue;
    const std::int64_t length = each.time.length();
    ++place.count;
    place.total += length;
    if (place.longest == nullptr || length > place.longest->time.length()) place.longest = &each;
    if (each.range != events::RangeTree::kNone)
      place.ranges[insight::without_numbers(facts.ranges.name_of(facts.ranges.at(each.range)))] +=
          length;
    if (each.call != nullptr) place.calls[facts.calls.name(*each.call)] += length;
  }
  return place;
}

template <class Fits>
std::optional<Finding> about(const Facts& facts, Fits fits, const char* rule, const char* sentence,
                             const char* remedy) {
  const Place place = place_of(facts, fits);
  if (place.count == 0) return std::nullopt;
  return Finding{rule, sentence, place.total, place.text(), remedy};
}

auto is_bound_by(const Facts& facts, Bound bound) {
  return [&facts, bound](const IdleTime& each) { return bound_of(facts, each) == bound; };
}

// Longer than the launch of a kernel takes.
constexpr std::int64_t kLong = 100'000;

}  // namespace

std::optional<Finding> synchronization(const Facts& facts) {
  return about(facts, is_bound_by(facts, Bound::kSynchronization), "synchronization",
               "The GPU runs dry because the host waits for it before it launches more",
               "Wait for what is needed only: drop cudaDeviceSynchronize, take .item(), .cpu() and "
               "prints of tensors out of the step, order streams with cudaStreamWaitEvent");
}

std::optional<Finding> slow_calls(const Facts& facts) {
  const bool allocations_are_told = allocator_churn(facts).has_value();
  return about(
      facts,
      [&](const IdleTime& each) {
        const bool is_told = allocations_are_told && each.call != nullptr &&
                             facts.calls.kind(*each.call) == insight::CallKind::kAllocation;
        return each.time.length() >= kLong && bound_of(facts, each) == Bound::kApi && !is_told;
      },
      "slow_calls", "The GPU waits while the thread that launches is in CUDA calls that take long",
      "Take what happens once out of the loop: load modules and compile first (a warm-up, "
      "CUDA_MODULE_LOADING=EAGER), allocate before, pin what is copied");
}

std::optional<Finding> launch_bound(const Facts& facts) {
  auto finding = about(
      facts,
      [&](const IdleTime& each) {
        return each.time.length() < kLong && bound_of(facts, each) == Bound::kApi;
      },
      "launch_bound",
      "The GPU waits for launches: its kernels are shorter than launching them takes",
      "Launch fewer and longer kernels: CUDA graphs (torch.cuda.graph, "
      "torch.compile(mode=\"reduce-overhead\")), fusion, larger batches");
  if (!finding) return finding;
  std::vector<std::int64_t> lengths;
  for (const insight::Operation& each : facts.work.operations())
    if (each.kind == insight::WorkKind::kKernel) lengths.push_back(each.duration());
  if (lengths.empty()) return finding;
  const auto middle = lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 2);
  std::nth_element(lengths.begin(), middle, lengths.end());
  finding->evidence += fmt::format("; {}, median {}",
                                   count_text(static_cast<std::int64_t>(lengths.size()), "kernel"),
                                   time_text(*middle));
  return finding;
}

std::optional<Finding> data_loading(const Facts& facts) {
  return about(facts, is_bound_by(facts, Bound::kDataLoading), "data_loading",
               "The GPU is idle while the thread that launches waits for data",
               "Load ahead: more DataLoader workers, pin_memory=True, prefetch_factor, "
               ".to(device, non_blocking=True); faster storage or a cheaper decoding");
}

std::optional<Finding> cpu_bound(const Facts& facts) {
  return about(facts, is_bound_by(facts, Bound::kCpu), "cpu_bound",
               "The GPU is idle while the CPU computes between launches",
               "Move that work off the thread that launches, or onto the GPU; CPU samples "
               "(prof profile -s process-tree) and NVTX ranges show what it is");
}

}  // namespace prof::analyze
