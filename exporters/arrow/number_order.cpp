#include "exporters/arrow/number_order.hpp"

#include <algorithm>
#include <functional>
#include <vector>

namespace prof::arrow {

namespace {

template <class T>
bool has_equal(std::span<const T> numbers) {
  std::vector<T> sorted(numbers.begin(), numbers.end());
  std::sort(sorted.begin(), sorted.end());
  return std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end();
}

}  // namespace

template <class T>
NumberOrder order_of(std::span<const T> numbers) {
  const auto fall = std::adjacent_find(numbers.begin(), numbers.end(), std::greater_equal<T>());
  if (fall == numbers.end()) return NumberOrder::kRises;
  if (*fall == *std::next(fall)) return NumberOrder::kRepeats;
  // Most columns with repeated numbers have a repetition among the first ones.
  constexpr std::size_t kFew = 256;
  if (numbers.size() > kFew && has_equal(numbers.first(kFew))) return NumberOrder::kRepeats;
  return has_equal(numbers) ? NumberOrder::kRepeats : NumberOrder::kDiffers;
}

template NumberOrder order_of(std::span<const std::int32_t>);
template NumberOrder order_of(std::span<const std::uint32_t>);
template NumberOrder order_of(std::span<const std::int64_t>);
template NumberOrder order_of(std::span<const std::uint64_t>);

}  // namespace prof::arrow
