// A list of integers that takes little memory. Times, ids and numbers of neighboring events are
// close to each other: most of them take one to four bytes here in place of eight.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

namespace prof::events {

class PackedIntegers {
 public:
  void push_back(std::int64_t value) {
    last_.push_back(value);
    if (last_.size() == kBlock) pack();
  }
  std::size_t size() const { return blocks_.size() * kBlock + last_.size(); }
  std::int64_t operator[](std::size_t index) const {
    const std::size_t number = index / kBlock;
    const std::size_t place = index % kBlock;
    return number < blocks_.size() ? blocks_[number].at(place) : last_[place];
  }

 private:
  static constexpr std::size_t kBlock = 1024;  // number of integers
  static_assert(std::endian::native == std::endian::little);

  // Holds the distance of each integer to the smallest one, in as many bytes as the largest
  // distance takes.
  struct Block {
    std::int64_t smallest;
    std::uint64_t mask;  // the bits that a distance may have
    std::size_t width;   // bytes of a distance, 0 to 8
    std::unique_ptr<std::uint8_t[]> bytes;

    std::int64_t at(std::size_t place) const {
      std::uint64_t distance;
      std::memcpy(&distance, bytes.get() + place * width, sizeof distance);
      return static_cast<std::int64_t>(static_cast<std::uint64_t>(smallest) + (distance & mask));
    }
  };

  void pack();

  std::vector<Block> blocks_;
  std::vector<std::int64_t> last_;  // the integers that do not fill a block
};

}  // namespace prof::events
