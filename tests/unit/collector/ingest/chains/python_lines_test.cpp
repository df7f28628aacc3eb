#include "collector/ingest/chains/python_lines.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "common/wire/python_frames/python_layout.hpp"

namespace prof::ingest {
namespace {

using python_frames::python_version;

class Lines {
 public:
  Lines(std::uint16_t version, std::vector<int> table) : version_(version) {
    for (const int byte : table) table_.push_back(static_cast<std::byte>(byte));
  }
  std::int64_t at(std::uint32_t offset) const {
    return PythonLines{version_, 10, table_}.line_at(offset);
  }

 private:
  std::uint16_t version_;
  std::vector<std::byte> table_;
};

TEST(PythonLines, OfLnotab) {
  // Code at 0-5 line 10, 6-9 line 12, from 10 on line 9.
  const Lines lines(python_version(3, 9), {6, 2, 4, -3});
  EXPECT_EQ(lines.at(0), 10);
  EXPECT_EQ(lines.at(5), 10);
  EXPECT_EQ(lines.at(6), 12);
  EXPECT_EQ(lines.at(10), 9);
  EXPECT_EQ(lines.at(1000), 9);
}

TEST(PythonLines, OfLineTable) {
  // 0-5 line 10, 6-7 no line, 8-11 line 13, 12-13 line 11.
  const Lines lines(python_version(3, 10), {6, 0, 2, -128, 4, 3, 2, -2});
  EXPECT_EQ(lines.at(4), 10);
  EXPECT_EQ(lines.at(6), 10);
  EXPECT_EQ(lines.at(8), 13);
  EXPECT_EQ(lines.at(12), 11);
  EXPECT_EQ(lines.at(14), 10);
}

constexpr int entry(int form, int instructions) { return 0x80 | form << 3 | (instructions - 1); }

TEST(PythonLines, OfLocationTable) {
  const Lines lines(python_version(3, 12),
                    {entry(0, 1),  0x12,                       // 0-1: line 10
                     entry(11, 2), 1,    2,                    // 2-5: line 11
                     entry(13, 1), 0x08,                       // 6-7: 4 lines further
                     entry(14, 1), 0x07, 0x01, 0x02, 0x03,     // 8-9: 3 lines back
                     entry(15, 1),                             // 10-11: no location
                     entry(14, 8), 0x40, 0x02, 0x00, 0,    0,  // 12-27: 64 lines further
                     entry(12, 1), 0,    0});                  // 28-29: 2 lines further
  const std::pair<std::uint32_t, std::int64_t> expected[] = {{0, 10},  {2, 11},  {5, 11},  {6, 15},
                                                             {8, 12},  {10, 12}, {12, 76}, {27, 76},
                                                             {28, 78}, {30, 10}};
  for (const auto& [offset, line] : expected) EXPECT_EQ(lines.at(offset), line) << offset;
}

TEST(PythonLines, OfDamagedTables) {
  for (const unsigned minor : {9U, 10U, 11U, 14U}) {
    const std::uint16_t version = python_version(3, minor);
    EXPECT_EQ(Lines(version, {}).at(4), 10);
    // Ends in the middle of an entry.
    EXPECT_GE(Lines(version, {entry(14, 1), 0x7f}).at(0), -1000);
    EXPECT_GE(Lines(version, std::vector<int>(64, 0xff)).at(1 << 20), -100'000);
  }
}

}  // namespace
}  // namespace prof::ingest
