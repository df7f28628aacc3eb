#include "exporters/analysis/insight/iterations.hpp"

#include <algorithm>
#include <string_view>

#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/events/nvtx/nvtx_ranges.hpp"
#include "exporters/analysis/insight/names.hpp"

namespace prof::insight {

namespace {

using events::RangeTree;

bool is_iteration_name(const std::string& name) {
  return mentions(name, {"step", "iter", "batch"});
}

// True if a range of this name is wanted by its full name. `name` is "domain:text"; `wanted` may
// lack the domain. Neither has numbers.
bool is_called(std::string_view name, std::string_view wanted) {
  return name == wanted || (name.ends_with(wanted) && name[name.size() - wanted.size() - 1] == ':');
}

// True if the name, or its text without the domain, begins with the wanted name.
bool begins_with(std::string_view name, std::string_view wanted) {
  return name.starts_with(wanted) || name.substr(name.find(':') + 1).starts_with(wanted);
}

std::int64_t sum(const std::vector<Interval>& times) {
  std::int64_t result = 0;
  for (const Interval& each : times) result += each.length();
  return result;
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

// Returns the ranges of a device's process by thread and name. Ranges inside a range of the same
// name are left out.
const IterationFinder::RangeGroups& IterationFinder::groups_of(std::size_t device) {
  const std::int64_t process = events::process_of(work_.devices()[device].global_pid);
  const auto [found, is_new] = groups_.try_emplace(process);
  RangeGroups& groups = found->second;
  if (!is_new) return groups;
  // The ranges are sorted by thread, and many ranges of a thread have the same name.
  struct Group {
    std::int64_t thread = 0;
    std::vector<Interval>* times = nullptr;
  };
  std::vector<Group> by_name;
  for (const RangeTree::Range& range : ranges_.ranges()) {
    if (events::process_of(range.global_tid) != process || range.end <= range.start) continue;
    const auto name = static_cast<std::size_t>(range.name);
    if (name >= by_name.size()) by_name.resize(2 * name + 1);
    Group& group = by_name[name];
    if (group.times == nullptr || group.thread != range.global_tid)
      group = {range.global_tid,
               &groups[{range.global_tid, without_numbers(ranges_.name_of(range))}]};
    if (group.times->empty() || range.start >= group.times->back().end)
      group.times->push_back({range.start, range.end});
  }
  return groups;
}

// Returns the group with the longest total time among those whose name fits, or null.
template <class Fits>
const IterationFinder::RangeGroups::value_type* IterationFinder::longest_group(std::size_t device,
                                                                               Fits fits_name) {
  const RangeGroups::value_type* best = nullptr;
  for (const auto& group : groups_of(device))
    if (group.second.size() >= kMinIterations && fits_name(group.first.name) &&
        (best == nullptr || sum(group.second) > sum(best->second)))
      best = &group;
  return best;
}

// Returns the longest group whose name fits. It must cover a quarter of the GPU's span, because a
// name with "step" may have any meaning.
template <class Fits>
std::optional<Iterations> IterationFinder::long_group(std::size_t device, Fits fits_name) {
  constexpr std::int64_t kMinShare = 4;  // 1 / minimum share of the span
  const RangeGroups::value_type* best = longest_group(device, fits_name);
  if (best == nullptr || kMinShare * sum(best->second) < work_.span(device).length())
    return std::nullopt;
  return iterations_of(device, *best);
}

Iterations IterationFinder::iterations_of(std::size_t device,
                                          const RangeGroups::value_type& group) {
  return {device, "NVTX range " + group.first.name, group.second};
}

std::optional<Iterations> IterationFinder::by_range(std::size_t device, const std::string& wanted) {
  const std::string numberless = without_numbers(wanted);
  for (const auto fits : {is_called, begins_with})
    if (const auto* group =
            longest_group(device, [&](const std::string& name) { return fits(name, numberless); }))
      return iterations_of(device, *group);
  return std::nullopt;
}

std::optional<Iterations> IterationFinder::find(std::size_t device) {
  if (auto found = long_group(device, is_iteration_name)) return found;
  if (auto found = iterations_by_kernels(work_, device)) return found;
  return long_group(device, [](const std::string&) { return true; });
}

std::vector<std::int64_t> iteration_lengths(const GpuWork& work, const events::RangeTree& ranges) {
  IterationFinder finder(work, ranges);
  std::vector<std::int64_t> lengths;
  for (std::size_t device = 0; device < work.devices().size(); ++device) {
    const auto found = finder.find(device);
    if (!found || found->times.size() <= lengths.size()) continue;
    lengths.clear();
    for (const Interval& each : found->times) lengths.push_back(each.length());
  }
  return lengths;
}

}  // namespace prof::insight
