#include "exporters/ranks/picture/rank_picture.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "exporters/ranks/numbers.hpp"

namespace prof::ranks {

using insight::Interval;

namespace {

// Returns the time from the first event to the last one.
Interval span_of(const std::vector<StateTimes>& devices) {
  Interval span{std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()};
  for (const StateTimes& device : devices)
    for (const insight::Intervals& state : device) {
      if (state.empty()) continue;
      span.start = std::min(span.start, state.front().start);
      span.end = std::max(span.end, state.back().end);
    }
  return span;
}

}  // namespace

RankPicture picture_of(const std::vector<StateTimes>& devices) {
  RankPicture picture;
  const Interval span = span_of(devices);
  if (span.start >= span.end) return picture;
  picture.begin = span.start;
  picture.end = span.end;
  while ((span.length() - 1) >> picture.shift >= static_cast<std::int64_t>(RankPicture::kMostBins))
    ++picture.shift;
  const auto bins = static_cast<std::size_t>((span.length() - 1) >> picture.shift) + 1;
  const double whole =
      std::ldexp(static_cast<double>(devices.size()), static_cast<int>(picture.shift));
  for (std::size_t state = 0; state < kRankStates; ++state) {
    std::vector<double> times(bins);
    for (const StateTimes& device : devices) {
      for (const Interval& each : device[state]) picture.add(each, times);
      picture.times[state] += insight::total(device[state]);
    }
    for (const double time : times)
      picture.shares[state].push_back(static_cast<std::uint8_t>(std::min<double>(
          RankPicture::kWholeBin, std::ceil(RankPicture::kWholeBin * time / whole))));
  }
  return picture;
}

void append_picture(std::string& bytes, const RankPicture& picture) {
  append_number(bytes, static_cast<std::uint64_t>(picture.begin));
  append_number(bytes, static_cast<std::uint64_t>(picture.end));
  append_number(bytes, picture.shift);
  append_number(bytes, picture.bins());
  for (std::size_t state = 0; state < kRankStates; ++state) {
    append_number(bytes, static_cast<std::uint64_t>(picture.times[state]));
    const auto& shares = picture.shares[state];
    for (auto at = shares.begin(); at != shares.end();) {
      const auto next = std::find_if(at, shares.end(), [&](auto each) { return each != *at; });
      bytes += static_cast<char>(*at);
      append_number(bytes, static_cast<std::uint64_t>(next - at));
      at = next;
    }
  }
}

base::Result<RankPicture> read_picture(std::string_view& bytes) {
  RankPicture picture;
  std::string failed;
  const auto number = [&]() -> std::uint64_t {
    const auto read = failed.empty() ? read_number(bytes) : base::Result<std::uint64_t>(0);
    if (!read) failed = read.error().message;
    return read.value_or(0);
  };
  picture.begin = static_cast<std::int64_t>(number());
  picture.end = static_cast<std::int64_t>(number());
  picture.shift = static_cast<unsigned>(number());
  const std::uint64_t bins = number();
  constexpr unsigned kMostShift = 63 - 10;  // of the time that kMostBins can have
  if (picture.shift > kMostShift || bins > RankPicture::kMostBins)
    return base::fail("the picture of a rank is damaged");
  for (std::size_t state = 0; state < kRankStates; ++state) {
    picture.times[state] = static_cast<std::int64_t>(number());
    auto& shares = picture.shares[state];
    while (failed.empty() && shares.size() < bins) {
      if (bytes.empty()) return base::fail("the picture of a rank ends too early");
      const auto share = static_cast<std::uint8_t>(bytes.front());
      bytes.remove_prefix(1);
      const std::uint64_t count = number();
      if (count == 0 || count > bins - shares.size())
        return base::fail("the picture of a rank is damaged");
      shares.insert(shares.end(), count, share);
    }
  }
  if (!failed.empty()) return base::fail(failed);
  return picture;
}

}  // namespace prof::ranks
