#include "collector/symbols/kernel_symbols.hpp"

#include <gtest/gtest.h>

namespace prof::symbols {
namespace {

TEST(KernelSymbols, FindsTheFunctionBelow) {
  const auto symbols = KernelSymbols::parse(
      "ffffffff81000200 t second\n"
      "ffffffff81000100 T first\n"
      "ffffffff81000180 D data\n"
      "ffffffffc0000000 t in_module\t[module]\n");
  EXPECT_EQ(symbols.find(0xffffffff810000ff), "");
  EXPECT_EQ(symbols.find(0xffffffff81000100), "first");
  EXPECT_EQ(symbols.find(0xffffffff810001ff), "first");
  EXPECT_EQ(symbols.find(0xffffffff81000300), "second");
  EXPECT_EQ(symbols.find(0xffffffffc0000010), "in_module");
}

TEST(KernelSymbols, AddressesThatAreHiddenAreNone) {
  EXPECT_EQ(KernelSymbols::parse("0000000000000000 T first\n").find(0x100), "");
}

TEST(KernelSymbols, NonsenseIsPassedOver) {
  const auto symbols = KernelSymbols::parse("\n\nxyz\n100\n100 T\n100 T \n200 T name");
  EXPECT_EQ(symbols.find(0x150), "");
  EXPECT_EQ(symbols.find(0x200), "name");
}

TEST(KernelSymbols, AnotherBootHasOtherAddresses) {
  EXPECT_EQ(KernelSymbols::of_this_boot("another").find(0xffffffff81000300), "");
  EXPECT_EQ(KernelSymbols::of_this_boot("").find(0xffffffff81000300), "");
}

}  // namespace
}  // namespace prof::symbols
