#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "exporters/analysis/insight/iterations.hpp"

namespace prof::insight {

namespace {

// The kernels and graphs of a device in the order of time. The hash of any part of the sequence
// takes constant time.
class KernelSequence {
 public:
  KernelSequence(const GpuWork& work, std::size_t device) {
    std::unordered_map<std::int64_t, std::uint32_t> numbers;
    std::int64_t busy_until = 0;
    for (const Operation& each : work.operations_of(device)) {
      const std::int64_t gap = each.start - busy_until;
      busy_until = std::max(busy_until, each.end);
      if (each.kind != WorkKind::kKernel && each.kind != WorkKind::kGraph) continue;
      const auto name = each.kind == WorkKind::kGraph ? -1 - each.name : each.name;
      const auto [at, is_new] =
          numbers.try_emplace(name, static_cast<std::uint32_t>(positions_.size()));
      if (is_new) positions_.emplace_back();
      positions_[at->second].push_back(static_cast<std::uint32_t>(starts_.size()));
      starts_.push_back(each.start);
      gaps_.push_back(gap);
      hashes_.push_back(hashes_.back() * kBase + at->second + 1);
      powers_.push_back(powers_.back() * kBase);
    }
  }

  std::size_t size() const { return starts_.size(); }
  // For each distinct kernel, its positions in the sequence.
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
  std::vector<std::uint64_t> hashes_ = {0};  // by n: the hash of the first n kernels
  std::vector<std::uint64_t> powers_ = {1};
};

// How regularly a kernel runs.
struct Regularity {
  // The sequence between two runs of the kernel is a period. `regular` is the share of kernels, of
  // all those between the first and the last run, that are in periods equal to the most frequent
  // period.
  double regular = 0;
  std::uint32_t period = 0;  // number of kernels in the most frequent period
  std::int64_t gaps =
      0;  // ns, idle time before the kernel's runs; it is long at the start of iterations

  bool better_than(const Regularity& other) const {
    return regular != other.regular ? regular > other.regular : gaps > other.gaps;
  }
};

Regularity regularity(const KernelSequence& sequence, const std::vector<std::uint32_t>& runs) {
  std::unordered_map<std::uint64_t, std::pair<std::uint32_t, std::uint32_t>> periods;
  std::pair<std::uint32_t, std::uint32_t> most{0, 0};  // count and length
  Regularity result;
  for (std::size_t i = 1; i < runs.size(); ++i) {
    auto& [count, length] = periods[sequence.hash(runs[i - 1], runs[i])];
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

std::optional<Iterations> iterations_by_kernels(const GpuWork& work, std::size_t device) {
  constexpr double kMinRegular = 0.5;
  constexpr std::uint32_t kMinPeriod = 2;  // one repeated kernel is not an iteration
  const KernelSequence sequence(work, device);
  const std::vector<std::uint32_t>* anchor = nullptr;
  Regularity best;
  for (const std::vector<std::uint32_t>& runs : sequence.positions()) {
    // The kernel must run during at least half of the sequence: a kernel that runs only at the
    // beginning says nothing about the rest.
    if (runs.size() <= kMinIterations || 2 * (runs.back() - runs.front()) < sequence.size())
      continue;
    const Regularity each = regularity(sequence, runs);
    if (each.period < kMinPeriod || each.regular < kMinRegular) continue;
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
    // Skips parts of another length, such as an evaluation between epochs.
    const bool is_like_others =
        2 * (last - first) >= best.period && last - first <= 2 * best.period;
    if (is_like_others) result.times.push_back({sequence.start(first), sequence.start(last)});
  }
  if (result.times.size() < kMinIterations) return std::nullopt;
  return result;
}

}  // namespace prof::insight
