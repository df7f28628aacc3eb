#include "exporters/analysis/tables/text.hpp"

#include <gtest/gtest.h>

#include "exporters/analysis/tables/table.hpp"

namespace prof::tables {
namespace {

TEST(Text, CopiesAreEqualAndShareIt) {
  Text text("one");
  const Text copy = text;
  EXPECT_EQ(copy, text);
  EXPECT_EQ(copy.view().data(), text.view().data());
  text = Text("two");
  EXPECT_EQ(copy.view(), "one");
  const Text moved = std::move(text);
  EXPECT_EQ(moved.view(), "two");
  EXPECT_LT(copy, moved);
}

TEST(Text, MakesCellsOf16Bytes) {
  EXPECT_EQ(sizeof(Cell), 16U);
  EXPECT_EQ(Cell{"a"}, Cell{std::string("a")});
  EXPECT_NE(Cell{"1"}, Cell{std::int64_t{1}});
}

TEST(SharedTexts, KeepOneOfEach) {
  SharedTexts shared;
  const Text first = shared("a name that is longer than a short string");
  std::string again = "a name that is longer than a short string";
  EXPECT_EQ(shared(again).view().data(), first.view().data());
  EXPECT_NE(shared("another"), first);
}

}  // namespace
}  // namespace prof::tables
