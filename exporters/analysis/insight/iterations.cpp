#include "exporters/analysis/insight/iterations.hpp"

#include <algorithm>
#include <map>

#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/events/nvtx_ranges.hpp"
#include "exporters/analysis/insight/names.hpp"

namespace prof::insight {

namespace {

using events::RangeTree;

bool is_iteration_name(const std::string& name) {
  return mentions(name, {"step", "iter", "batch"});
}

// True if a range has the wanted name. `name` is "domain:text"; `wanted` may lack the domain.
bool is_called(const std::string& name, const std::string& wanted) {
  return name == wanted || name == without_numbers(wanted) || name.ends_with(':' + wanted);
}

struct RangeKey {
  std::int64_t global_tid;
  std::string name;
  auto operator<=>(const RangeKey&) const = default;  // NOLINT(modernize-use-nullptr)
};
using RangeGroups = std::map<RangeKey, std::vector<Interval>>;

// Returns the ranges of a process by thread and name. Ranges inside a range of the same name are
// left out.
RangeGroups groups_of(const RangeTree& ranges, std::int64_t process) {
  RangeGroups groups;
  for (const RangeTree::Range& range : ranges.ranges()) {
    if (events::process_of(range.global_tid) != process || range.end <= range.start) continue;
    std::vector<Interval>& times =
        groups[{range.global_tid, without_numbers(ranges.name_of(range))}];
    if (times.empty() || range.start >= times.back().end) times.push_back({range.start, range.end});
  }
  return groups;
}

std::int64_t sum(const std::vector<Interval>& times) {
  std::int64_t result = 0;
  for (const Interval& each : times) result += each.length();
  return result;
}

// Returns the group with the longest total time among those whose name fits. It must cover a
// quarter of the GPU's span, because a name with "step" may have any meaning.
template <class Fits>
std::optional<Iterations> longest_group(const GpuWork& work, const RangeTree& ranges,
                                        std::size_t device, Fits fits_name) {
  constexpr std::int64_t kMinShare = 4;  // 1 / minimum share of the span
  const RangeGroups groups =
      groups_of(ranges, events::process_of(work.devices()[device].global_pid));
  const auto* best = static_cast<const RangeGroups::value_type*>(nullptr);
  for (const auto& group : groups)
    if (group.second.size() >= kMinIterations && fits_name(group.first.name) &&
        (best == nullptr || sum(group.second) > sum(best->second)))
      best = &group;
  if (best == nullptr || kMinShare * sum(best->second) < work.span(device).length())
    return std::nullopt;
  return Iterations{device, "NVTX range " + best->first.name, best->second};
}

}  // namespace

std::int64_t median_length(const Iterations& iterations) {
  std::vector<std::int64_t> lengths;
  for (const Interval& time : iterations.times) lengths.push_back(time.length());
  const auto middle = lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 2);
  std::nth_element(lengths.begin(), middle, lengths.end());
  if (lengths.size() % 2 == 1) return *middle;
  const std::int64_t lower = *std::max_element(lengths.begin(), middle);
  return lower + (*middle - lower) / 2;
}

std::optional<Iterations> iterations_by_range(const GpuWork& work, const RangeTree& ranges,
                                              std::size_t device, const std::string& wanted) {
  if (wanted.empty()) return longest_group(work, ranges, device, is_iteration_name);
  const RangeGroups groups =
      groups_of(ranges, events::process_of(work.devices()[device].global_pid));
  for (const auto& [key, times] : groups)
    if (is_called(key.name, wanted) && times.size() >= kMinIterations)
      return Iterations{device, "NVTX range " + key.name, times};
  return std::nullopt;
}

std::optional<Iterations> find_iterations(const GpuWork& work, const RangeTree& ranges,
                                          std::size_t device) {
  if (auto found = iterations_by_range(work, ranges, device, {})) return found;
  if (auto found = iterations_by_kernels(work, device)) return found;
  return longest_group(work, ranges, device, [](const std::string&) { return true; });
}

}  // namespace prof::insight
