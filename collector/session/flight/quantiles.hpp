// The usual duration of something: a histogram with buckets of an eighth of an octave, which
// gradually forgets old values.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace prof::session {

class Quantiles {
 public:
  void add(std::uint64_t value) {
    ++counts_[bucket_of(value)];
    if (++total_ < kMaxCounts) return;
    total_ = 0;
    for (std::uint32_t& each : counts_) total_ += each /= 2;
  }

  std::uint64_t count() const { return total_; }

  // Returns the upper end of the bucket that has the quantile, which is up to an eighth too long.
  std::uint64_t value(double quantile) const {
    const double rank = quantile * static_cast<double>(total_);
    double sum = 0;
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      sum += counts_[i];
      if (sum >= rank && sum > 0) return end_of(i);
    }
    return 0;
  }

 private:
  static constexpr unsigned kSteps = 8;  // buckets in an octave
  static constexpr std::uint64_t kMaxCounts = 100'000;

  static std::size_t bucket_of(std::uint64_t value) {
    if (value < kSteps) return value;
    const unsigned octave = static_cast<unsigned>(std::bit_width(value)) - 4;
    return (octave + 1) * kSteps + ((value >> octave) & (kSteps - 1));
  }
  static std::uint64_t end_of(std::size_t bucket) {
    if (bucket < kSteps) return bucket;
    const std::size_t octave = bucket / kSteps - 1;
    return ((kSteps + bucket % kSteps + 1) << octave) - 1;
  }

  std::array<std::uint32_t, 62 * kSteps> counts_{};
  std::uint64_t total_ = 0;
};

}  // namespace prof::session
