#include "common/code/symbols/kernel_symbols.hpp"

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
  constexpr std::uint64_t kAddress = 0xffffffff81000300;
  EXPECT_EQ(KernelSymbols::of_this_boot("another", kAddress).find(kAddress), "");
  EXPECT_EQ(KernelSymbols::of_this_boot("", kAddress).find(kAddress), "");
}

TEST(KernelSymbols, UpToAnAddressTheyAreAsIfAllAreRead) {
  constexpr std::uint64_t kAll = ~std::uint64_t{0};
  constexpr std::uint64_t kStart = 0xffffffff80000000;
  const auto all = KernelSymbols::of_this_boot(boot_id(), kAll);
  for (const std::uint64_t offset : {0x1000300, 0x1400000, 0x2000000, 0x40000000, 0x40100000}) {
    const auto some = KernelSymbols::of_this_boot(boot_id(), kStart + offset);
    EXPECT_EQ(some.find(kStart + offset), all.find(kStart + offset)) << std::hex << offset;
  }
}

}  // namespace
}  // namespace prof::symbols
