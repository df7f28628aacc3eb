#include "collector/metrics/system/stat_file.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/made_up_machine.hpp"

namespace prof::metrics {
namespace {

TEST(StatFile, IsReadAgainFromTheStart) {
  const test::MadeUpMachine machine;
  machine.write("sys/number", "12\n");
  StatFile file(machine.path("sys/number"));
  EXPECT_EQ(file.read_number(), 12);
  machine.write("sys/number", "18446744073709551615\n");
  EXPECT_EQ(file.read_number(), 18446744073709551615.0);
  machine.write("sys/number", "none\n");
  EXPECT_EQ(file.read_number(), std::nullopt);
}

TEST(StatFile, TakesTextsOfAnySize) {
  const test::MadeUpMachine machine;
  const std::string text(100'000, 'x');
  machine.write("proc/long", text);
  StatFile file(machine.path("proc/long"));
  EXPECT_EQ(file.read(), text);
  machine.write("proc/long", "short");
  EXPECT_EQ(file.read(), "short");
}

TEST(StatFile, IsEmptyIfThereIsNone) {
  StatFile file("/nowhere");
  EXPECT_FALSE(file.is_open());
  EXPECT_EQ(file.read(), "");
}

TEST(SharedStatFile, IsReadOnceForEachRound) {
  const test::MadeUpMachine machine;
  machine.write("proc/stat", "1");
  SharedStatFile file(machine.path("proc/stat"));
  std::uint64_t first = 0;
  std::uint64_t second = 0;
  EXPECT_EQ(file.text(first), "1");
  machine.write("proc/stat", "2");
  EXPECT_EQ(file.text(second), "1");
  EXPECT_EQ(file.text(first), "2");
  EXPECT_EQ(file.text(second), "2");
}

TEST(StatTexts, HaveWordsLinesAndKeys) {
  std::string_view text = "MemTotal:   12 kB\nMem 7\n\tREAD: 1 2 x 3\n";
  EXPECT_EQ(number_after(text, "MemTotal"), 12);
  EXPECT_EQ(number_after(text, "Mem"), 7);
  EXPECT_TRUE(std::isnan(number_after(text, "MemT")));
  EXPECT_EQ(take_line(text), "MemTotal:   12 kB");
  EXPECT_EQ(take_word(text), "Mem");
  EXPECT_EQ(numbers_of(" 1 2.5 x 3"), (std::vector<double>{1, 2.5}));
}

}  // namespace
}  // namespace prof::metrics
