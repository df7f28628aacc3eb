#include "exporters/ranks/value_bins.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <iterator>

namespace prof::ranks {

namespace {

constexpr int kBinsOfDoubling = 70;
constexpr int kShift = 32;  // fraction bits of kBounds

// The lower bounds of the bins from 1 to 2, and 2: each is the one before times the 70th root of 2.
constexpr auto kBounds = [] {
  constexpr std::uint64_t kRootMinusOne = 10'685'117;  // 2^(1/70) - 1, with 30 fraction bits
  constexpr int kRootShift = 30;
  std::array<std::uint64_t, kBinsOfDoubling + 1> bounds{};
  bounds[0] = std::uint64_t{1} << kShift;
  for (std::size_t i = 1; i < bounds.size(); ++i)
    bounds[i] = bounds[i - 1] + ((bounds[i - 1] * kRootMinusOne) >> kRootShift);
  bounds.back() = std::uint64_t{2} << kShift;
  return bounds;
}();

// Numbers of bins of values from 1 up, counted from 0.
int place_of(std::uint64_t value) {
  const int doublings = static_cast<int>(std::bit_width(value)) - 1;
  const std::uint64_t scaled =
      doublings >= kShift ? value >> (doublings - kShift) : value << (kShift - doublings);
  const auto* above = std::upper_bound(kBounds.begin(), std::prev(kBounds.end()), scaled);
  return doublings * kBinsOfDoubling + static_cast<int>(above - kBounds.begin()) - 1;
}

std::uint64_t smallest_of(int place) {
  const int doublings = place / kBinsOfDoubling;
  const std::uint64_t bound = kBounds[static_cast<std::size_t>(place % kBinsOfDoubling)];
  if (doublings >= kShift) return bound << (doublings - kShift);
  const int shift = kShift - doublings;
  return (bound + (std::uint64_t{1} << shift) - 1) >> shift;
}

}  // namespace

std::int64_t bin_of(std::int64_t value) {
  if (value == 0) return 0;
  const auto bits = static_cast<std::uint64_t>(value);
  return value > 0 ? place_of(bits) + 1 : -(place_of(0 - bits) + 1);
}

double middle_of(std::int64_t bin) {
  if (bin == 0) return 0;
  const int place = static_cast<int>(bin > 0 ? bin : -bin) - 1;
  const auto smallest = static_cast<double>(smallest_of(place));
  const double largest = std::max(smallest, static_cast<double>(smallest_of(place + 1) - 1));
  const double middle = 2 * smallest / (smallest + largest) * largest;
  return bin > 0 ? middle : -middle;
}

}  // namespace prof::ranks
