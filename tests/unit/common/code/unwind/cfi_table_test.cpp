#include "common/code/unwind/cfi_table.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <random>

#include "common/code/unwind/module.hpp"

namespace prof::unwind {
namespace {

struct Libc : testing::Test {
  void SetUp() override {
    Dl_info info{};
    ASSERT_NE(dladdr(dlsym(RTLD_DEFAULT, "qsort"), &info), 0);
    path = info.dli_fname;
    image.emplace(*symbols::ElfImage::open(path));
    for (const auto& each : image->segments())
      if (each.executable) code = each;
  }
  std::string path;
  std::optional<symbols::ElfImage> image;
  symbols::Segment code;
};

// The table gives libdw's answers, whatever was looked up before.
TEST_F(Libc, RowsAreThoseOfTheSource) {
  const CfiSource source(FrameSections::of(*image));
  CfiTable table(FrameSections::of(*image), code.address);
  std::mt19937_64 random(1);
  std::size_t known = 0;
  for (int i = 0; i < 20000; ++i) {
    const std::uint64_t address = code.address + random() % code.size;
    const auto row = source.find(address);
    const FrameRules* rules = table.find(address);
    ASSERT_EQ(rules->is_usable, row.has_value()) << std::hex << address;
    if (!row) continue;
    ++known;
    ASSERT_EQ(rules->cfa_register, row->rules.cfa_register) << std::hex << address;
    ASSERT_EQ(rules->cfa_length, row->rules.cfa_length);
    if (rules->cfa_length == 0) {
      ASSERT_EQ(rules->cfa_value, row->rules.cfa_value);
    }
    ASSERT_EQ(rules->is_signal_frame, row->rules.is_signal_frame);
    const auto registers = table.registers(*rules);
    ASSERT_EQ(registers.size(), row->registers.size());
    for (std::size_t j = 0; j < registers.size(); ++j) {
      ASSERT_EQ(registers[j].index, row->registers[j].index);
      ASSERT_EQ(registers[j].place, row->registers[j].place);
      if (registers[j].length == 0) {
        ASSERT_EQ(registers[j].value, row->registers[j].value);
      }
    }
  }
  EXPECT_GT(known, 15000U);
  EXPECT_LT(table.rule_sets(), 1000U);
}

TEST_F(Libc, AddressesOutsideOfTheCodeHaveNoRules) {
  CfiTable table(FrameSections::of(*image), code.address);
  for (const std::uint64_t address : {std::uint64_t{0}, code.address - 1,
                                      code.address + (std::uint64_t{1} << 40), ~std::uint64_t{0}})
    EXPECT_FALSE(table.find(address)->is_usable);
}

TEST_F(Libc, AnotherFileOfThatNameIsNotRead) {
  Module replaced(FileIdentity{path, 0, image->inode() + 1, {}}, {});
  EXPECT_EQ(replaced.frames(), nullptr);
  EXPECT_EQ(replaced.problem(), "it was replaced");
  Module rebuilt(FileIdentity{path, 0, 0, "0123"}, {});
  EXPECT_EQ(rebuilt.frames(), nullptr);
  Module same(FileIdentity{path, 0, image->inode(), image->build_id()}, {});
  EXPECT_NE(same.frames(), nullptr) << same.problem();
}

TEST(Module, WhatCannotBeReadHasNoFrames) {
  for (const char* path : {"/no/such/file", "/dev/null", "/etc/passwd", "/tmp"}) {
    Module module(FileIdentity{path, 0, 0, {}}, {});
    EXPECT_EQ(module.frames(), nullptr);
    EXPECT_NE(module.problem(), "");
  }
}

TEST(Module, TheVdsoHasFrames) {
  Modules modules;
  const auto vdso = modules.vdso();
  if (!vdso) GTEST_SKIP() << "no vdso here";
  EXPECT_NE(vdso->frames(), nullptr) << vdso->problem();
}

}  // namespace
}  // namespace prof::unwind
