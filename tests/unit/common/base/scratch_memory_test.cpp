#include "common/base/scratch_memory.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <random>
#include <vector>

#include "tests/unit/temporary_directory.hpp"

namespace prof::base {
namespace {

constexpr std::size_t kLimit = std::size_t{8} << 20;

class ScratchMemoryTest : public ::testing::Test {
 protected:
  bool is_folder_empty() const { return std::filesystem::is_empty(directory_.file("")); }

  test::TemporaryDirectory directory_;
  ScratchMemory memory_{directory_.file(""), kLimit};
};

TEST_F(ScratchMemoryTest, UsesAFileWithoutANameBeyondTheLimit) {
  std::pmr::vector<std::uint64_t> numbers(&memory_);
  for (std::uint64_t i = 0; i < 100'000; ++i) numbers.push_back(i);
  EXPECT_EQ(memory_.in_file(), 0U);
  for (std::uint64_t i = 100'000; i < 4'000'000; ++i) numbers.push_back(i);
  EXPECT_GE(memory_.in_file(), 4'000'000 * sizeof(std::uint64_t));
  EXPECT_TRUE(is_folder_empty());
  for (std::uint64_t i = 0; i < numbers.size(); ++i) ASSERT_EQ(numbers[i], i);
  numbers = std::pmr::vector<std::uint64_t>(&memory_);
  EXPECT_EQ(memory_.in_file(), 0U);
}

TEST_F(ScratchMemoryTest, SmallPiecesAreUsedAgain) {
  std::pmr::map<std::uint64_t, std::uint64_t> numbers(&memory_);
  for (int round = 0; round < 10; ++round) {
    for (std::uint64_t i = 0; i < 100'000; ++i) numbers[i] = i;
    numbers.clear();
  }
  EXPECT_EQ(memory_.in_file(), 0U);  // one round takes 5 MB
}

TEST_F(ScratchMemoryTest, PiecesOfAllSizesAreApart) {
  std::mt19937 random(1);
  std::vector<std::pmr::vector<std::uint32_t>> pieces;
  for (std::uint32_t i = 0; i < 3000; ++i) {
    const std::size_t length = std::size_t{1} << random() % 16;
    if (i % 3 == 2)
      pieces.erase(pieces.begin() + static_cast<std::ptrdiff_t>(random() % pieces.size()));
    pieces.emplace_back(length + random() % length, i, &memory_);
  }
  for (const auto& piece : pieces)
    for (const std::uint32_t value : piece) ASSERT_EQ(value, piece.front());
}

TEST(ScratchMemory, WithoutAFolderItIsOrdinaryMemory) {
  ScratchMemory memory("/no/such/folder", kLimit);
  const std::pmr::vector<std::uint64_t> numbers(4'000'000, 7, &memory);
  EXPECT_EQ(memory.in_file(), 0U);
  EXPECT_EQ(numbers.back(), 7U);
}

}  // namespace
}  // namespace prof::base
