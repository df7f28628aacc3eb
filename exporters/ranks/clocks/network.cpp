#include "exporters/ranks/clocks/network.hpp"

#include <cmath>
#include <functional>
#include <limits>
#include <queue>
#include <utility>

namespace prof::ranks {

namespace {

using Vector = std::vector<double>;
constexpr double kFar = std::numeric_limits<double>::infinity();

double product(const Vector& a, const Vector& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

class Solver {
 public:
  Solver(std::size_t clocks, const std::vector<Comparison>& comparisons)
      : comparisons_(comparisons), clocks_(clocks), neighbours_(clocks), is_first_(clocks) {
    for (std::size_t i = 0; i < comparisons.size(); ++i) {
      neighbours_[comparisons[i].a].push_back(i);
      neighbours_[comparisons[i].b].push_back(i);
    }
  }

  std::vector<ComparedClock> solve() {
    find_parts();
    descend();
    find_closures();
    return std::move(clocks_);
  }

 private:
  // Finds the parts, and for each clock the way with the least variance, from which the first
  // values come.
  void find_parts() {
    Vector variances(clocks_.size(), kFar);
    std::size_t parts = 0;
    for (std::size_t first = 0; first < clocks_.size(); ++first) {
      if (variances[first] != kFar) continue;
      is_first_[first] = true;
      using Entry = std::pair<double, std::size_t>;
      std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
      variances[first] = 0;
      queue.emplace(0, first);
      while (!queue.empty()) {
        const auto [variance, clock] = queue.top();
        queue.pop();
        if (variance > variances[clock]) continue;
        clocks_[clock].part = parts;
        clocks_[clock].variance = variance;
        for (const std::size_t index : neighbours_[clock]) {
          const Comparison& each = comparisons_[index];
          const std::size_t other = each.a == clock ? each.b : each.a;
          if (variance + each.variance >= variances[other]) continue;
          variances[other] = variance + each.variance;
          clocks_[other].value =
              clocks_[clock].value + (each.a == clock ? each.value : -each.value);
          queue.emplace(variances[other], other);
        }
      }
      ++parts;
    }
  }

  // The Laplacian of the graph times a vector. The first clock of a part stays at 0.
  Vector times_laplacian(const Vector& values) const {
    Vector result(values.size(), 0);
    for (const Comparison& each : comparisons_) {
      const double flow = (values[each.b] - values[each.a]) / each.variance;
      result[each.b] += flow;
      result[each.a] -= flow;
    }
    hold_first(result);
    return result;
  }
  void hold_first(Vector& values) const {
    for (std::size_t i = 0; i < values.size(); ++i)
      if (is_first_[i]) values[i] = 0;
  }

  // Conjugate gradients, scaled by the diagonal, from the values that find_parts() left.
  void descend() {
    const std::size_t size = clocks_.size();
    Vector residual(size, 0), diagonal(size, 1);
    for (const Comparison& each : comparisons_) {
      const double off = each.value - (clocks_[each.b].value - clocks_[each.a].value);
      residual[each.b] += off / each.variance;
      residual[each.a] -= off / each.variance;
      diagonal[each.a] += 1 / each.variance;
      diagonal[each.b] += 1 / each.variance;
    }
    hold_first(residual);
    const auto scaled = [&](const Vector& values) {
      Vector result(size);
      for (std::size_t i = 0; i < size; ++i) result[i] = values[i] / diagonal[i];
      return result;
    };
    Vector direction = scaled(residual);
    double square = product(residual, direction);
    const double enough = square * 1e-24;
    for (std::size_t round = 0; round < 2 * size + 50 && square > enough; ++round) {
      const Vector change = times_laplacian(direction);
      const double curvature = product(direction, change);
      if (!(curvature > 0)) break;
      const double step = square / curvature;
      for (std::size_t i = 0; i < size; ++i) {
        clocks_[i].value += step * direction[i];
        residual[i] -= step * change[i];
      }
      const Vector next = scaled(residual);
      const double before = std::exchange(square, product(residual, next));
      for (std::size_t i = 0; i < size; ++i)
        direction[i] = next[i] + square / before * direction[i];
    }
  }

  void find_closures() {
    for (std::size_t clock = 0; clock < clocks_.size(); ++clock) {
      double squares = 0;
      for (const std::size_t index : neighbours_[clock]) {
        const Comparison& each = comparisons_[index];
        const double off = each.value - (clocks_[each.b].value - clocks_[each.a].value);
        squares += off * off;
      }
      if (!neighbours_[clock].empty())
        clocks_[clock].closure =
            std::sqrt(squares / static_cast<double>(neighbours_[clock].size()));
    }
  }

  const std::vector<Comparison>& comparisons_;
  std::vector<ComparedClock> clocks_;
  std::vector<std::vector<std::size_t>> neighbours_;  // indices of comparisons, by clock
  std::vector<bool> is_first_;                        // of its part
};

}  // namespace

std::vector<ComparedClock> solve(std::size_t clocks, const std::vector<Comparison>& comparisons) {
  return Solver(clocks, comparisons).solve();
}

}  // namespace prof::ranks
