#include "exporters/ranks/collectives/matching.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "common/base/median.hpp"

namespace prof::ranks {

namespace {

using Ends = std::vector<CollectiveEnd>;
using Pair = std::pair<std::size_t, std::size_t>;

constexpr std::int64_t kCompared = 64;    // operations from which a shift is found
constexpr std::int64_t kUsualShift = 64;  // tried first
constexpr std::int64_t kLargestShift = 8192;
constexpr double kRate = 1e-4;         // clocks differ by at most 100 ppm
constexpr double kInterval = 150'000;  // ns: ends of one operation differ by less
constexpr double kLate = 250'000;      // ns: an end that is later is not matched
constexpr double kSkip = 20'000;       // ns: what it costs to skip an operation
constexpr std::size_t kMaxSkip = 8;
constexpr std::size_t kFirst = 9;  // ends that say how the clocks differ at first

double interval_of(const Ends& ends, std::size_t index) {
  return static_cast<double>(ends[index + 1].end - ends[index].end);
}

// How well b[i + shift] fits a[i].
struct Fit {
  std::int64_t shift = 0;
  std::int64_t agreeing = 0;  // intervals with equal letters and lengths
  double mismatch = 0;        // ns, difference of the intervals, of the quarter that agrees best
};

class Aligner {
 public:
  Aligner(const Ends& a, const Ends& b, const std::optional<ExpectedDifference>& expected)
      : a_(a), b_(b), expected_(expected) {}

  Matching match() {
    if (a_.empty() || b_.empty()) return {};
    const std::optional<std::int64_t> shift = find_shift();
    if (shift) walk(*shift);
    return std::move(result_);
  }

 private:
  std::optional<std::int64_t> find_shift() const {
    for (const std::int64_t limit : {kUsualShift, kLargestShift}) {
      const auto found = best_shift(limit);
      if (found) return found;
      if (static_cast<std::int64_t>(std::max(a_.size(), b_.size())) <= limit) break;
    }
    return std::nullopt;
  }

  std::optional<std::int64_t> best_shift(std::int64_t limit) const {
    const auto size_a = static_cast<std::int64_t>(a_.size());
    const auto size_b = static_cast<std::int64_t>(b_.size());
    std::vector<Fit> fits;
    for (std::int64_t shift = -std::min(limit, size_a - 1); shift <= std::min(limit, size_b - 1);
         ++shift)
      if (auto fit = fit_of(shift)) fits.push_back(*fit);
    if (fits.empty()) return std::nullopt;
    const std::int64_t most = std::ranges::max_element(fits, {}, &Fit::agreeing)->agreeing;
    const Fit* best = nullptr;
    for (const Fit& fit : fits) {
      if (fit.agreeing * 2 < most) continue;
      if (best == nullptr || is_better(fit, *best)) best = &fit;
    }
    return best->shift;
  }

  // A larger shift is only believed if its intervals agree far better.
  static bool is_better(const Fit& fit, const Fit& than) {
    if (std::abs(fit.shift) < std::abs(than.shift)) return fit.mismatch <= 2 * than.mismatch + 100;
    return 2 * fit.mismatch + 100 < than.mismatch;
  }

  // Returns nothing if too few of the first operations agree.
  std::optional<Fit> fit_of(std::int64_t shift) const {
    const auto first_a = static_cast<std::size_t>(std::max<std::int64_t>(0, -shift));
    const auto first_b = static_cast<std::size_t>(std::max<std::int64_t>(0, shift));
    const std::size_t count =
        std::min({a_.size() - first_a, b_.size() - first_b, static_cast<std::size_t>(kCompared)});
    if (count == 0 || (expected_ && !is_expected(first_a, first_b))) return std::nullopt;
    std::vector<double> mismatches;
    for (std::size_t i = 0; i + 1 < count; ++i) {
      if (a_[first_a + i].letter != b_[first_b + i].letter) continue;
      const double interval = interval_of(a_, first_a + i);
      const double mismatch = std::abs(interval_of(b_, first_b + i) - interval);
      if (mismatch <= kInterval + kRate * interval) mismatches.push_back(mismatch);
    }
    const std::size_t needed = std::max<std::size_t>(2, (count - 1) / 8);
    if (mismatches.size() < needed) return std::nullopt;
    // After a lost operation nothing agrees any more, so the best quarter decides.
    const auto quarter = mismatches.begin() + static_cast<std::ptrdiff_t>(mismatches.size() / 4);
    std::ranges::nth_element(mismatches, quarter);
    return Fit{shift, static_cast<std::int64_t>(mismatches.size()), *quarter};
  }

  bool is_expected(std::size_t i, std::size_t j) const {
    const auto difference = static_cast<double>(b_[j].end - a_[i].end);
    // An operation may have been lost on one side, so that the ends are of neighbours.
    const double interval = std::max(i + 1 < a_.size() ? interval_of(a_, i) : 0.0,
                                     j + 1 < b_.size() ? interval_of(b_, j) : 0.0);
    return std::abs(difference - expected_->difference) <= expected_->error + interval;
  }

  // The distance of the ends from the difference of the clocks as it was last seen.
  double distance(std::size_t i, std::size_t j) const {
    return std::abs(static_cast<double>(b_[j].end - a_[i].end) - difference_);
  }
  double tolerance(std::size_t i) const {
    return kLate + kRate * static_cast<double>(std::abs(a_[i].end - last_));
  }

  // Takes the operations that the shift matches, whose ends are close to the median difference.
  void start(std::int64_t shift) {
    i_ = static_cast<std::size_t>(std::max<std::int64_t>(0, -shift));
    j_ = static_cast<std::size_t>(std::max<std::int64_t>(0, shift));
    std::vector<double> differences;
    for (std::size_t k = 0; differences.size() < kFirst; ++k) {
      if (i_ + k + 1 >= a_.size() || j_ + k + 1 >= b_.size()) break;
      const double interval = interval_of(a_, i_ + k);
      if (std::abs(interval_of(b_, j_ + k) - interval) <= kInterval + kRate * interval)
        differences.push_back(static_cast<double>(b_[j_ + k].end - a_[i_ + k].end));
    }
    difference_ = base::upper_median(differences);
    last_ = a_[i_].end;
  }

  void walk(std::int64_t shift) {
    start(shift);
    while (i_ < a_.size() && j_ < b_.size()) {
      const auto [skip_a, skip_b] = cheapest();
      if (skip_a > kMaxSkip) {
        result_.unmatched += 2;
        ++i_;
        ++j_;
        continue;
      }
      result_.unmatched += skip_a + skip_b;
      i_ += skip_a;
      j_ += skip_b;
      follow(static_cast<double>(b_[j_].end - a_[i_].end));
      result_.pairs.emplace_back(i_++, j_++);
    }
  }

  // Returns how many operations of each side to skip, or more than kMaxSkip if nothing matches.
  // Both sides lose operations at the same place only if nothing else explains the ends.
  std::pair<std::size_t, std::size_t> cheapest() const {
    Skip best;
    for (std::size_t count = 0; count <= kMaxSkip; ++count) {
      consider({count, 0}, best);
      consider({0, count}, best);
    }
    if (best.cost == INFINITY)
      for (std::size_t skip_a = 1; skip_a < kMaxSkip; ++skip_a)
        for (std::size_t skip_b = 1; skip_a + skip_b <= kMaxSkip; ++skip_b)
          consider({skip_a, skip_b}, best);
    return {best.a, best.b};
  }

  struct Skip {
    std::size_t a = kMaxSkip + 1;
    std::size_t b = 0;
    double cost = INFINITY;
  };
  void consider(Skip skip, Skip& best) const {
    const std::size_t i = i_ + skip.a;
    const std::size_t j = j_ + skip.b;
    if (i >= a_.size() || j >= b_.size() || a_[i].letter != b_[j].letter) return;
    const double off = distance(i, j);
    skip.cost = off + kSkip * static_cast<double>(skip.a + skip.b);
    if (off <= tolerance(i) && skip.cost < best.cost) best = skip;
  }

  // Lets the difference of the clocks follow their rates; a late end moves it little.
  void follow(double seen) {
    constexpr double kLargestStep = 5'000;  // ns
    const double rate = kRate * static_cast<double>(std::abs(a_[i_].end - last_));
    const double step = (seen - difference_) / 4;
    difference_ += std::clamp(step, -kLargestStep - rate, kLargestStep + rate);
    last_ = a_[i_].end;
  }

  const Ends& a_;
  const Ends& b_;
  const std::optional<ExpectedDifference>& expected_;
  Matching result_;
  std::size_t i_ = 0;
  std::size_t j_ = 0;
  double difference_ = 0;  // b - a, ns
  std::int64_t last_ = 0;  // ns, on the clock of a: when difference_ was seen
};

// The operations that end together, and where they are among all.
struct Anchors {
  explicit Anchors(const std::vector<RankCall>& calls) {
    for (std::size_t i = 0; i < calls.size(); ++i)
      if (calls[i].ends_together) {
        ends.push_back({calls[i].end, calls[i].duration(), calls[i].letter});
        places.push_back(i);
      }
  }
  Ends ends;
  std::vector<std::size_t> places;
};

// Adds the operations before, between and after those that end together.
class Filler {
 public:
  Filler(const std::vector<RankCall>& a, const std::vector<RankCall>& b) : a_(a), b_(b) {}

  Matching fill(const std::vector<Pair>& anchors) {
    if (anchors.empty()) {
      if (a_.size() == b_.size()) add_between({0, 0}, {a_.size(), b_.size()});
      return finish(0, 0);
    }
    add_before(anchors.front());
    for (std::size_t k = 0; k < anchors.size(); ++k) {
      if (k > 0) add_between({anchors[k - 1].first + 1, anchors[k - 1].second + 1}, anchors[k]);
      result_.pairs.push_back(anchors[k]);
    }
    add_after(anchors.back());
    return finish(result_.pairs.front().first, result_.pairs.front().second);
  }

 private:
  void add_between(Pair first, Pair end) {
    const std::size_t count = end.first - first.first;
    if (count != end.second - first.second) return;
    for (std::size_t k = 0; k < count; ++k)
      if (a_[first.first + k].letter != b_[first.second + k].letter) return;
    for (std::size_t k = 0; k < count; ++k)
      result_.pairs.emplace_back(first.first + k, first.second + k);
  }

  // True if the ends are nearer to each other than to those of the next operations.
  bool fits(std::size_t i, std::size_t j, Pair anchor) const {
    if (a_[i].letter != b_[j].letter) return false;
    const std::int64_t clocks = b_[anchor.second].end - a_[anchor.first].end;
    std::int64_t nearest = std::numeric_limits<std::int64_t>::max();
    for (const auto& [calls, at] : {std::pair(&a_, i), std::pair(&b_, j)}) {
      if (at > 0) nearest = std::min(nearest, (*calls)[at].end - (*calls)[at - 1].end);
      if (at + 1 < calls->size())
        nearest = std::min(nearest, (*calls)[at + 1].end - (*calls)[at].end);
    }
    return 2 * std::abs(b_[j].end - a_[i].end - clocks) < nearest;
  }
  void add_before(Pair anchor) {
    std::size_t count = 0;
    while (count < std::min(anchor.first, anchor.second) &&
           fits(anchor.first - count - 1, anchor.second - count - 1, anchor))
      ++count;
    for (; count > 0; --count)
      result_.pairs.emplace_back(anchor.first - count, anchor.second - count);
  }
  void add_after(Pair anchor) {
    for (auto [i, j] = Pair(anchor.first + 1, anchor.second + 1);
         i < a_.size() && j < b_.size() && fits(i, j, anchor); ++i, ++j)
      result_.pairs.emplace_back(i, j);
  }

  // Counts what has no partner between the first and the last match.
  Matching finish(std::size_t first_a, std::size_t first_b) {
    if (result_.pairs.empty()) {
      result_.unmatched = a_.size() + b_.size();
    } else {
      const auto& [last_a, last_b] = result_.pairs.back();
      result_.unmatched = last_a + 1 - first_a + last_b + 1 - first_b - 2 * result_.pairs.size();
    }
    return std::move(result_);
  }

  const std::vector<RankCall>& a_;
  const std::vector<RankCall>& b_;
  Matching result_;
};

}  // namespace

Matching match_in_order(const std::vector<CollectiveEnd>& a, const std::vector<CollectiveEnd>& b) {
  Matching matching;
  if (!std::ranges::equal(a, b, {}, &CollectiveEnd::letter, &CollectiveEnd::letter))
    return matching;
  for (std::size_t i = 0; i < a.size(); ++i) matching.pairs.emplace_back(i, i);
  return matching;
}

Matching match_overlapping(const std::vector<RankCall>& a, const std::vector<RankCall>& b,
                           double error) {
  Matching matching;
  if (a.size() != b.size()) return matching;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const std::int64_t between = std::max(a[i].start, b[i].start) - std::min(a[i].end, b[i].end);
    if (a[i].letter != b[i].letter || static_cast<double>(between) > error) return {};
    matching.pairs.emplace_back(i, i);
  }
  return matching;
}

Matching match_calls(const std::vector<RankCall>& a, const std::vector<RankCall>& b,
                     const std::optional<ExpectedDifference>& expected) {
  const Anchors of_a(a);
  const Anchors of_b(b);
  std::vector<Pair> anchors;
  for (const auto& [i, j] : match(of_a.ends, of_b.ends, expected).pairs)
    anchors.emplace_back(of_a.places[i], of_b.places[j]);
  return Filler(a, b).fill(anchors);
}

Matching match(const std::vector<CollectiveEnd>& a, const std::vector<CollectiveEnd>& b,
               const std::optional<ExpectedDifference>& expected) {
  return Aligner(a, b, expected).match();
}

}  // namespace prof::ranks
