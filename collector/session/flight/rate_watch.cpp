#include "collector/session/flight/rate_watch.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace prof::session {

namespace {

constexpr std::uint64_t kBucket = 250'000'000;  // ns
constexpr std::uint64_t kLate = 250'000'000;    // time until an event has been drained, ns
constexpr std::size_t kMaxBuckets = 1200;       // five minutes
constexpr std::size_t kShortest = 8;            // buckets in the shortest window
constexpr std::size_t kLongest = 240;
constexpr double kFewest = 5;        // events in a usual window
constexpr std::size_t kWindows = 5;  // number of windows that are needed for a usual rate

}  // namespace

void RateWatch::add(std::uint64_t time) {
  if (first_ == 0) {
    first_ = time;
    buckets_.assign(1, 0);
  }
  const std::size_t at = time < first_ ? 0 : (time - first_) / kBucket;
  // A time far in the future is invalid, and ignored.
  if (at >= buckets_.size() + kMaxBuckets) return;
  while (buckets_.size() <= at) buckets_.push_back(0);
  ++buckets_[at];
}

bool RateWatch::close_buckets(std::uint64_t now) {
  const std::size_t complete = (now - first_) / kBucket;
  if (complete <= closed_ || complete > buckets_.size() + kMaxBuckets) return false;
  while (buckets_.size() <= complete) buckets_.push_back(0);
  closed_ = complete;
  for (; closed_ > kMaxBuckets; --closed_) {
    buckets_.pop_front();
    first_ += kBucket;
  }
  return true;
}

std::uint64_t RateWatch::sum(std::size_t end, std::size_t length) const {
  std::uint64_t sum = 0;
  for (std::size_t i = end - length; i < end; ++i) sum += buckets_[i];
  return sum;
}

std::optional<double> RateWatch::usual(std::size_t length) const {
  std::vector<std::uint64_t> sums;
  for (std::size_t end = closed_ - std::min(closed_, length); end >= length; end -= length)
    sums.push_back(sum(end, length));
  if (sums.size() < kWindows) return {};
  std::ranges::nth_element(sums, sums.begin() + static_cast<std::ptrdiff_t>(sums.size() / 2));
  return static_cast<double>(sums[sums.size() / 2]);
}

std::optional<RateWatch::Fall> RateWatch::fall() const {
  const auto seconds = [](std::size_t length) {
    return static_cast<double>(length * kBucket) / 1e9;
  };
  if (trigger_.limit > 0) {
    const double wanted = kFewest / trigger_.limit / (static_cast<double>(kBucket) / 1e9);
    const std::size_t length =
        std::clamp(static_cast<std::size_t>(std::ceil(wanted)), kShortest, kMaxBuckets - 1);
    if (closed_ < length) return {};
    const double rate = static_cast<double>(sum(closed_, length)) / seconds(length);
    if (rate >= trigger_.limit) return {};
    return Fall{rate, seconds(length), trigger_.limit};
  }
  for (std::size_t length = kShortest; length <= kLongest; length *= 2) {
    const auto often = usual(length);
    if (!often) return {};
    if (*often < kFewest) continue;
    const auto now = static_cast<double>(sum(closed_, length));
    if (now >= trigger_.factor * *often) return {};
    return Fall{now / seconds(length), seconds(length), *often / seconds(length)};
  }
  return {};
}

std::optional<RateWatch::Fall> RateWatch::check(std::uint64_t now) {
  if (first_ == 0 || now < first_ + kLate) return {};
  if (!close_buckets(now - kLate)) return {};
  const auto found = fall();
  const bool is_new = found && !has_fired_;
  has_fired_ = found.has_value();
  return is_new ? found : std::nullopt;
}

}  // namespace prof::session
