// The curves of one row: values over time, one lane for each series.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace prof::timeline {

struct Sample {
  std::int64_t time;
  double value;
};

class CounterLanes {
 public:
  // Takes the samples of each series, in any order. Of several samples at one time the last one is
  // valid afterwards.
  explicit CounterLanes(std::vector<std::vector<Sample>> series);

  std::uint32_t lanes() const { return static_cast<std::uint32_t>(series_.size()); }
  std::size_t size() const;
  const std::vector<Sample>& samples(std::uint32_t lane) const { return series_[lane].samples; }
  // Returns the first sample of a lane at this time or later.
  std::size_t first_from(std::uint32_t lane, std::int64_t time) const;
  // Returns the minimum and the maximum of the samples [from, to), which must not be empty.
  std::pair<double, double> range(std::uint32_t lane, std::size_t from, std::size_t to) const;

  std::int64_t earliest() const { return earliest_; }
  std::int64_t latest() const { return latest_; }

 private:
  static constexpr std::size_t kFanOut = 16;
  using Range = std::pair<double, double>;
  struct Series {
    std::vector<Sample> samples;
    std::vector<std::vector<Range>> ranges;  // [0]: range of each 16 samples; [1]: of each 256; …
  };
  static void build_ranges(Series& series);

  std::vector<Series> series_;
  std::int64_t earliest_ = 0;
  std::int64_t latest_ = 0;
};

}  // namespace prof::timeline
