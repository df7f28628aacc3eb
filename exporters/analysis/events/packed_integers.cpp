#include "exporters/analysis/events/packed_integers.hpp"

#include <algorithm>

namespace prof::events {

void PackedIntegers::pack() {
  const auto [smallest, largest] = std::ranges::minmax(last_);
  const auto base = static_cast<std::uint64_t>(smallest);
  const std::uint64_t range = static_cast<std::uint64_t>(largest) - base;
  const std::size_t width = (static_cast<std::size_t>(std::bit_width(range)) + 7) / 8;
  const std::uint64_t mask = width == 0 ? 0 : ~std::uint64_t{0} >> (64 - 8 * width);
  // at() and this loop access eight bytes at each place, so there are some after the last distance.
  auto bytes =
      std::make_unique_for_overwrite<std::uint8_t[]>(kBlock * width + sizeof(std::uint64_t));
  for (std::size_t i = 0; i < kBlock; ++i) {
    const std::uint64_t distance = static_cast<std::uint64_t>(last_[i]) - base;
    std::memcpy(bytes.get() + i * width, &distance, sizeof distance);
  }
  blocks_.push_back({smallest, mask, width, std::move(bytes)});
  last_.clear();
}

}  // namespace prof::events
