// Takes a tile apart, as the page does.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace prof::test {

class TileReader {
 public:
  explicit TileReader(const std::string& tile) : tile_(tile) {
    EXPECT_EQ(number<std::uint32_t>(0), 0x314c5450U);
    EXPECT_EQ(number<std::uint32_t>(4), tile.size());
    EXPECT_EQ(tile.size() % 8, 0U);
  }
  std::uint32_t row() const { return number<std::uint32_t>(8); }
  std::uint32_t count() const { return number<std::uint32_t>(12); }
  std::int64_t base() const { return number<std::int64_t>(16); }
  std::uint32_t version() const { return number<std::uint32_t>(24); }
  std::uint16_t lanes() const { return number<std::uint16_t>(28); }
  std::uint8_t level() const { return number<std::uint8_t>(30); }
  std::uint8_t style() const { return number<std::uint8_t>(31); }
  std::uint32_t flags() const { return number<std::uint32_t>(32); }

  // The next column.
  template <class T>
  std::vector<T> column() {
    std::vector<T> result(count());
    const std::size_t bytes = result.size() * sizeof(T);
    EXPECT_LE(at_ + bytes, tile_.size());
    if (!result.empty()) std::memcpy(result.data(), tile_.data() + at_, bytes);
    at_ += (bytes + 7) / 8 * 8;
    return result;
  }
  bool at_end() const { return at_ == tile_.size(); }

 private:
  template <class T>
  T number(std::size_t at) const {
    T value{};
    std::memcpy(&value, tile_.data() + at, sizeof(T));
    return value;
  }
  std::string tile_;
  std::size_t at_ = 40;
};

struct EventTile {
  explicit EventTile(TileReader tile)
      : start(tile.column<std::uint32_t>()),
        width(tile.column<std::uint32_t>()),
        name(tile.column<std::uint32_t>()),
        id(tile.column<std::uint32_t>()),
        events(tile.column<std::uint32_t>()),
        lane(tile.column<std::uint16_t>()),
        flags(tile.column<std::uint16_t>()) {
    EXPECT_TRUE(tile.at_end());
    EXPECT_EQ(tile.style(), 0);
  }
  std::vector<std::uint32_t> start, width, name, id, events;
  std::vector<std::uint16_t> lane, flags;
};

struct ValueTile {
  explicit ValueTile(TileReader tile)
      : min(tile.column<double>()),
        max(tile.column<double>()),
        last(tile.column<double>()),
        start(tile.column<std::uint32_t>()),
        lane(tile.column<std::uint16_t>()) {
    EXPECT_TRUE(tile.at_end());
    EXPECT_EQ(tile.style(), 1);
  }
  std::vector<double> min, max, last;
  std::vector<std::uint32_t> start;
  std::vector<std::uint16_t> lane;
};

struct DensityTile {
  explicit DensityTile(TileReader tile)
      : start(tile.column<std::uint32_t>()),
        width(tile.column<std::uint32_t>()),
        name(tile.column<std::uint32_t>()),
        busy(tile.column<float>()) {
    EXPECT_TRUE(tile.at_end());
    EXPECT_EQ(tile.style(), 2);
  }
  std::vector<std::uint32_t> start, width, name;
  std::vector<float> busy;
};

}  // namespace prof::test
