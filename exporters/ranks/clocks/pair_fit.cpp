#include "exporters/ranks/clocks/pair_fit.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <unordered_map>

#include "common/base/median.hpp"

namespace prof::ranks {

namespace {

constexpr double kUsualDrift = 1e-4;  // of clocks of two machines: 100 ppm

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
      drift += both * (base::upper_median(late[kind]) - base::upper_median(early[kind])) /
               (fit_.spread * 2 / 3);
    }
    fit_.drift = weight > 0 ? std::clamp(drift / weight, -kUsualDrift, kUsualDrift) : 0;
    std::vector<std::vector<double>> levels(kinds_.size());
    for (std::size_t i = 0; i < ends_.size(); ++i)
      levels[kind_of_[i]].push_back(ends_[i].difference - slope(i));
    for (std::size_t kind = 0; kind < kinds_.size(); ++kind)
      kinds_[kind].level = base::upper_median(levels[kind]);
  }

  double slope(std::size_t i) const { return fit_.drift * (ends_[i].time - fit_.middle); }

  void reweight() {
    std::vector<double> sizes;
    double kinds = 0;
    for (std::size_t i = 0; i < ends_.size(); ++i) {
      const Kind& kind = kinds_[kind_of_[i]];
      residuals_[i] = ends_[i].difference - kind.level - slope(i);
      // The only operation of a kind is always on the line.
      if (kind.count < 2) continue;
      sizes.push_back(std::abs(residuals_[i]));
      kinds += 1 / static_cast<double>(kind.count);
    }
    fit_.noise = noise_of(sizes, static_cast<double>(sizes.size()) - kinds - 1);
    for (std::size_t i = 0; i < ends_.size(); ++i) {
      const double size = residuals_[i] / (2 * fit_.noise);
      weights_[i] = 1 / (1 + size * size);
    }
  }

  // `freedom`: number of residuals minus that of the parameters that were fitted to them.
  static double noise_of(std::vector<double>& residuals, double freedom) {
    constexpr double kUsual = 2'000;    // ns, of GPUs
    constexpr double kUsualWeight = 1;  // degrees of freedom of this knowledge
    freedom = std::max(0.0, freedom);
    double square = kUsualWeight * kUsual * kUsual;
    if (freedom > 0) {
      const double found = 1.4826 * base::upper_median(residuals);
      square += found * found * static_cast<double>(residuals.size());
    }
    return std::max(1.0, std::sqrt(square / (freedom + kUsualWeight)));  // times are whole ns
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
    // What is known of the drift beforehand counts like operations without a drift.
    const double before = fit_.noise / kUsualDrift;
    square_ = square + before * before;
    fit_.drift = product / square_;
    for (Kind& kind : kinds_) kind.level = kind.difference - fit_.drift * kind.time;
  }

  void take_mean(const std::vector<double>& levels) {
    fit_.kinds = levels.size();
    for (const double level : levels) fit_.offset += level / static_cast<double>(levels.size());
    for (const double level : levels)
      fit_.bias_variance += (level - fit_.offset) * (level - fit_.offset);
    if (fit_.kinds > 1) fit_.bias_variance /= static_cast<double>(fit_.kinds - 1);
  }

  // If the kinds have few operations, a late end can make the level of a kind.
  void take_robust_mean(std::vector<double> levels) {
    constexpr int kRounds = 20;
    constexpr double kNormal = 0.82;  // weighted variance of a normal distribution
    fit_.offset = base::upper_median(levels);
    double weights = 0;
    double variance = 0;
    for (int round = 0; round < kRounds; ++round) {
      std::vector<double> sizes;
      for (const double level : levels) sizes.push_back(std::abs(level - fit_.offset));
      const double spread = std::max(fit_.noise, 1.4826 * base::upper_median(sizes));
      double sum = 0;
      weights = variance = 0;
      for (const double level : levels) {
        const double size = (level - fit_.offset) / (2 * spread);
        const double weight = 1 / (1 + size * size);
        weights += weight;
        sum += weight * (level - fit_.offset);
        variance += weight * (level - fit_.offset) * (level - fit_.offset);
      }
      fit_.offset += sum / weights;
    }
    fit_.kinds = static_cast<std::size_t>(std::max(1LL, std::llround(weights)));
    if (fit_.kinds > 1)
      fit_.bias_variance = variance / weights / kNormal * static_cast<double>(fit_.kinds) /
                           static_cast<double>(fit_.kinds - 1);
  }

  // A kind with few operations does not count as much as the others: its level is not known well.
  bool counts(const Kind& kind) const {
    return kind.count * kinds_.size() * 10 >= ends_.size() || kind.count >= 16;
  }

  void summarize() {
    std::vector<double> levels;
    for (const Kind& kind : kinds_)
      if (counts(kind)) levels.push_back(kind.level);
    const auto count = static_cast<double>(levels.size());
    if (ends_.size() >= 4 * kinds_.size())
      take_mean(levels);
    else
      take_robust_mean(levels);
    const double noise = fit_.noise * fit_.noise;
    double time = 0;
    for (const Kind& kind : kinds_)
      if (counts(kind)) {
        fit_.offset_variance += noise / (kind.weight * count * count);
        time += kind.time / count;
      }
    fit_.drift_variance = noise / square_;
    fit_.offset_variance += fit_.drift_variance * time * time;
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
  // How well the drift is known: how far the operations of a kind are apart, ns².
  double square_ = 1;
  PairFit fit_;
};

}  // namespace

PairFit fit_pair(const std::vector<EndDifference>& differences) {
  return Fitter(differences).fit();
}

}  // namespace prof::ranks
