#include "exporters/insight/iterations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "exporters/events/global_ids.hpp"
#include "exporters/events/nvtx_ranges.hpp"
#include "exporters/insight/names.hpp"

namespace prof::insight {

namespace {

using events::RangeTree;

bool names_iteration(const std::string& name) { return mentions(name, {"step", "iter", "batch"}); }

// A range's name is "domain:text".
bool is_called(const std::string& name, const std::string& wanted) {
  return name == wanted || name == without_numbers(wanted) || name.ends_with(':' + wanted);
}

struct RangeKey {
  std::int64_t global_tid;
  std::string name;
  auto operator<=>(const RangeKey&) const = default;  // NOLINT(modernize-use-nullptr)
};
using RangeGroups = std::map<RangeKey, std::vector<Interval>>;

// Ranges of the process by thread and name, without those inside of another of their name.
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

// The group of the longest total among those that `fits`, if it lasts for a fair part of the GPU's
// work: a name that says "step" may be anything.
template <class Fits>
std::optional<Iterations> longest_group(const GpuWork& work, const RangeTree& ranges,
                                        std::size_t device, Fits fits) {
  constexpr std::int64_t kLeastShare = 4;  // a quarter
  const RangeGroups groups =
      groups_of(ranges, events::process_of(work.devices()[device].global_pid));
  const auto* best = static_cast<const RangeGroups::value_type*>(nullptr);
  for (const auto& group : groups)
    if (group.second.size() >= kLeastIterations && fits(group.first.name) &&
        (best == nullptr || sum(group.second) > sum(best->second)))
      best = &group;
  if (best == nullptr || kLeastShare * sum(best->second) < work.span(device).length())
    return std::nullopt;
  return Iterations{device, "NVTX range " + best->first.name, best->second};
}

// The kernels and graphs of a device, with a hash over each stretch of them in constant time.
class Sequence {
 public:
  Sequence(const GpuWork& work, std::size_t device) {
    std::unordered_map<std::int64_t, std::uint32_t> numbers;
    std::int64_t busy_until = 0;
    for (const Operation* each = work.begin(device); each != work.end(device); ++each) {
      const std::int64_t gap = each->start - busy_until;
      busy_until = std::max(busy_until, each->end);
      if (each->kind != WorkKind::kKernel && each->kind != WorkKind::kGraph) continue;
      const auto name = each->kind == WorkKind::kGraph ? -1 - each->name : each->name;
      const auto [at, is_new] =
          numbers.try_emplace(name, static_cast<std::uint32_t>(positions_.size()));
      if (is_new) positions_.emplace_back();
      positions_[at->second].push_back(static_cast<std::uint32_t>(starts_.size()));
      starts_.push_back(each->start);
      gaps_.push_back(gap);
      hashes_.push_back(hashes_.back() * kBase + at->second + 1);
      powers_.push_back(powers_.back() * kBase);
    }
  }

  std::size_t size() const { return starts_.size(); }
  // For each distinct kernel where it ran.
  const std::vector<std::vector<std::uint32_t>>& positions() const { return positions_; }
  std::uint64_t hash(std::uint32_t first, std::uint32_t last) const {
    return hashes_[last] - hashes_[first] * powers_[last - first];
  }
  std::int64_t start(std::uint32_t position) const { return starts_[position]; }
  std::int64_t gap_before(std::uint32_t position) const { return gaps_[position]; }

 private:
  static constexpr std::uint64_t kBase = 0x9e3779b97f4a7c15;
  std::vector<std::vector<std::uint32_t>> positions_;
  std::vector<std::int64_t> starts_;
  std::vector<std::int64_t> gaps_;
  std::vector<std::uint64_t> hashes_ = {0};  // of the first n kernels
  std::vector<std::uint64_t> powers_ = {1};
};

// How regularly a kernel comes.
struct Rhythm {
  double regular = 0;        // share of the kernels between its first and last run that are in
                             // stretches like the most frequent one
  std::uint32_t period = 0;  // kernels in that stretch
  std::int64_t gaps = 0;     // idle time before its runs: where an iteration begins, it is long

  bool better_than(const Rhythm& other) const {
    return regular != other.regular ? regular > other.regular : gaps > other.gaps;
  }
};

Rhythm rhythm(const Sequence& sequence, const std::vector<std::uint32_t>& runs) {
  std::unordered_map<std::uint64_t, std::pair<std::uint32_t, std::uint32_t>> stretches;
  std::pair<std::uint32_t, std::uint32_t> most{0, 0};  // how often, how long
  Rhythm result;
  for (std::size_t i = 1; i < runs.size(); ++i) {
    auto& [count, length] = stretches[sequence.hash(runs[i - 1], runs[i])];
    ++count;
    length = runs[i] - runs[i - 1];
    if (std::pair(std::uint64_t{count} * length, length) >
        std::pair(std::uint64_t{most.first} * most.second, most.second))
      most = {count, length};
    result.gaps += sequence.gap_before(runs[i]);
  }
  const double all = runs.back() - runs.front();
  result.regular = static_cast<double>(std::uint64_t{most.first} * most.second) / all;
  result.period = most.second;
  return result;
}

}  // namespace

std::optional<Iterations> iterations_by_range(const GpuWork& work, const RangeTree& ranges,
                                              std::size_t device, const std::string& wanted) {
  if (wanted.empty()) return longest_group(work, ranges, device, names_iteration);
  const RangeGroups groups =
      groups_of(ranges, events::process_of(work.devices()[device].global_pid));
  for (const auto& [key, times] : groups)
    if (is_called(key.name, wanted) && times.size() >= kLeastIterations)
      return Iterations{device, "NVTX range " + key.name, times};
  return std::nullopt;
}

std::optional<Iterations> iterations_by_kernels(const GpuWork& work, std::size_t device) {
  constexpr double kLeastRegular = 0.5;
  constexpr std::uint32_t kLeastPeriod = 2;  // one kernel over and over is no iteration
  const Sequence sequence(work, device);
  const std::vector<std::uint32_t>* anchor = nullptr;
  Rhythm best;
  for (const std::vector<std::uint32_t>& runs : sequence.positions()) {
    // A kernel of a few iterations at the beginning tells nothing of the rest.
    if (runs.size() <= kLeastIterations || 2 * (runs.back() - runs.front()) < sequence.size())
      continue;
    const Rhythm each = rhythm(sequence, runs);
    if (each.period < kLeastPeriod || each.regular < kLeastRegular) continue;
    if (anchor == nullptr || each.better_than(best)) {
      best = each;
      anchor = &runs;
    }
  }
  if (anchor == nullptr) return std::nullopt;
  Iterations result{device, fmt::format("period of {} kernels", best.period), {}};
  for (std::size_t i = 1; i < anchor->size(); ++i) {
    const std::uint32_t first = (*anchor)[i - 1];
    const std::uint32_t last = (*anchor)[i];
    // Evaluations between epochs and the like are no iterations.
    const bool is_like_others =
        2 * (last - first) >= best.period && last - first <= 2 * best.period;
    if (is_like_others) result.times.push_back({sequence.start(first), sequence.start(last)});
  }
  if (result.times.size() < kLeastIterations) return std::nullopt;
  return result;
}

std::optional<Iterations> find_iterations(const GpuWork& work, const RangeTree& ranges,
                                          std::size_t device) {
  if (auto found = iterations_by_range(work, ranges, device, {})) return found;
  if (auto found = iterations_by_kernels(work, device)) return found;
  return longest_group(work, ranges, device, [](const std::string&) { return true; });
}

}  // namespace prof::insight
