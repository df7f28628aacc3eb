#include "exporters/ranks/clocks/pair_fit.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <unordered_map>

namespace prof::ranks {

namespace {

double median(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

// The operations of a kind: weighted sums, then the line through them.
struct Kind {
  double weight = 0;
  double time = 0;        // weighted mean
  double difference = 0;  // weighted mean
  double level = 0;       // of the line, at the middle
  std::size_t count = 0;
};

class Fitter {
 public:
  explicit Fitter(const std::vector<EndDifference>& ends)
      : ends_(ends), kind_of_(ends.size()), weights_(ends.size(), 1.0), residuals_(ends.size()) {
    std::unordered_map<std::uint64_t, std::size_t> numbers;
    double first = ends.front().time;
    double last = first;
    for (std::size_t i = 0; i < ends.size(); ++i) {
      kind_of_[i] = numbers.emplace(ends[i].kind, numbers.size()).first->second;
      first = std::min(first, ends[i].time);
      last = std::max(last, ends[i].time);
    }
    kinds_.resize(numbers.size());
    for (const std::size_t kind : kind_of_) ++kinds_[kind].count;
    fit_.middle = (first + last) / 2;
    fit_.spread = last - first;
  }

  PairFit fit() {
    constexpr int kRounds = 40;
    start();
    for (int round = 0; round < kRounds; ++round) {
      const double before = fit_.drift * fit_.spread;
      reweight();
      solve();
      if (round > 4 && std::abs(fit_.drift * fit_.spread - before) < 0.1) break;
    }
    summarize();
    return fit_;
  }

 private:
  // Starts at the medians of the kinds, without a drift, unless that of the first and the last
  // third says more: so outliers do not decide.
  void start() {
    std::vector<std::vector<double>> early(kinds_.size()), late(kinds_.size());
    for (std::size_t i = 0; i < ends_.size(); ++i) {
      const double part = fit_.spread > 0 ? (ends_[i].time - fit_.middle) / fit_.spread : 0;
      if (part < -1.0 / 6) early[kind_of_[i]].push_back(ends_[i].difference);
      if (part > 1.0 / 6) late[kind_of_[i]].push_back(ends_[i].difference);
    }
    double weight = 0;
    double drift = 0;
    for (std::size_t kind = 0; kind < kinds_.size(); ++kind) {
      const auto both = static_cast<double>(std::min(early[kind].size(), late[kind].size()));
      if (both == 0) continue;
      weight += both;
      drift += both * (median(late[kind]) - median(early[kind])) / (fit_.spread * 2 / 3);
    }
    fit_.drift = weight > 0 ? drift / weight : 0;
    std::vector<std::vector<double>> levels(kinds_.size());
    for (std::size_t i = 0; i < ends_.size(); ++i)
      levels[kind_of_[i]].push_back(ends_[i].difference - slope(i));
    for (std::size_t kind = 0; kind < kinds_.size(); ++kind)
      kinds_[kind].level = median(levels[kind]);
  }

  double slope(std::size_t i) const { return fit_.drift * (ends_[i].time - fit_.middle); }

  void reweight() {
    std::vector<double> sizes(ends_.size());
    for (std::size_t i = 0; i < ends_.size(); ++i) {
      residuals_[i] = ends_[i].difference - kinds_[kind_of_[i]].level - slope(i);
      sizes[i] = std::abs(residuals_[i]);
    }
    fit_.noise = std::max(1.0, 1.4826 * median(sizes));  // times are whole ns
    for (std::size_t i = 0; i < ends_.size(); ++i) {
      const double size = residuals_[i] / (2 * fit_.noise);
      weights_[i] = 1 / (1 + size * size);
    }
  }

  void solve() {
    for (Kind& kind : kinds_) kind.weight = kind.time = kind.difference = 0;
    for (std::size_t i = 0; i < ends_.size(); ++i) {
      Kind& kind = kinds_[kind_of_[i]];
      kind.weight += weights_[i];
      kind.time += weights_[i] * (ends_[i].time - fit_.middle);
      kind.difference += weights_[i] * ends_[i].difference;
    }
    for (Kind& kind : kinds_) {
      kind.time /= kind.weight;
      kind.difference /= kind.weight;
    }
    double square = 0;
    double product = 0;
    for (std::size_t i = 0; i < ends_.size(); ++i) {
      const Kind& kind = kinds_[kind_of_[i]];
      const double time = ends_[i].time - fit_.middle - kind.time;
      square += weights_[i] * time * time;
      product += weights_[i] * time * (ends_[i].difference - kind.difference);
    }
    fit_.drift = square > 0 ? product / square : 0;
    for (Kind& kind : kinds_) kind.level = kind.difference - fit_.drift * kind.time;
  }

  // A kind with few operations does not count as much as the others: its level is not known well.
  bool counts(const Kind& kind) const {
    return kind.count * kinds_.size() * 10 >= ends_.size() || kind.count >= 16;
  }

  void summarize() {
    for (const Kind& kind : kinds_)
      if (counts(kind)) {
        ++fit_.kinds;
        fit_.offset += kind.level;
      }
    fit_.offset /= static_cast<double>(fit_.kinds);
    for (const Kind& kind : kinds_)
      if (counts(kind))
        fit_.bias_variance += (kind.level - fit_.offset) * (kind.level - fit_.offset);
    if (fit_.kinds > 1) fit_.bias_variance /= static_cast<double>(fit_.kinds - 1);
    for (const double weight : weights_) fit_.weight += weight;
    fit_.wander = wander();
  }

  // The clocks stray if the means of parts of the time differ by more than the noise explains.
  double wander() const {
    constexpr std::size_t kParts = 8;
    std::array<double, kParts> weights{}, sums{};
    for (std::size_t i = 0; i < ends_.size() && fit_.spread > 0; ++i) {
      const double part = (ends_[i].time - fit_.middle) / fit_.spread + 0.5;
      const auto at = std::min(static_cast<std::size_t>(part * kParts), kParts - 1);
      weights[at] += weights_[i];
      sums[at] += weights_[i] * residuals_[i];
    }
    double squares = 0;
    double parts = 0;
    for (std::size_t at = 0; at < kParts; ++at) {
      if (weights[at] < 4) continue;
      const double mean = sums[at] / weights[at];
      squares += mean * mean - fit_.noise * fit_.noise / weights[at];
      ++parts;
    }
    return parts > 2 ? std::sqrt(std::max(0.0, squares / parts)) : 0;
  }

  const std::vector<EndDifference>& ends_;
  std::vector<std::size_t> kind_of_;
  std::vector<double> weights_;
  std::vector<double> residuals_;
  std::vector<Kind> kinds_;
  PairFit fit_;
};

}  // namespace

PairFit fit_pair(const std::vector<EndDifference>& differences) {
  return Fitter(differences).fit();
}

}  // namespace prof::ranks
