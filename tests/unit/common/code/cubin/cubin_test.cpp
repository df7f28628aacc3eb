#include "common/code/cubin/cubin.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tests/fuzz/tiny_cubin.hpp"

namespace prof::cubin {
namespace {

std::string read_file(const std::string& name) {
  std::ifstream file(std::string(CUBIN_EXAMPLES) + "/" + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

Cubin cubin_of(const auto& bytes) {
  auto cubin = Cubin::read(std::as_bytes(std::span(bytes)));
  EXPECT_TRUE(cubin.has_value()) << cubin.error().message;
  return std::move(*cubin);
}

// "FILE:LINE FILE:LINE", innermost first, of the frames with lines.
std::string lines_of(const std::vector<symbols::SourceFrame>& frames) {
  std::string result;
  for (const auto& each : frames)
    if (each.line != 0)
      result += (result.empty() ? "" : " ") + each.file + ":" + std::to_string(each.line);
  return result;
}

// "FUNCTION FUNCTION", innermost first, inlined ones in parentheses.
std::string functions_of(const std::vector<symbols::SourceFrame>& frames) {
  std::string result;
  for (const auto& each : frames)
    result +=
        (result.empty() ? "" : " ") + (each.is_inlined ? "(" + each.function + ")" : each.function);
  return result;
}

struct Example {
  const char* name;
  int architecture;
};

class Examples : public testing::TestWithParam<Example> {};

// example.cu was compiled with `nvcc -cubin -lineinfo` (CUDA 13.0), example.py by Triton 3.9. The
// expected lines are those that `nvdisasm -gi` (13.5) prints.
INSTANTIATE_TEST_SUITE_P(Cubin, Examples,
                         testing::Values(Example{"nvcc_75", 75}, Example{"nvcc_120", 120},
                                         Example{"triton_90", 90}),
                         [](const auto& each) { return each.param.name; });

TEST_P(Examples, HaveTheLinesThatNvdisasmPrints) {
  const std::string bytes = read_file(std::string(GetParam().name) + ".cubin");
  const Cubin cubin = cubin_of(bytes);
  EXPECT_EQ(cubin.architecture(), GetParam().architecture);
  ASSERT_EQ(cubin.functions().size(), 1);
  const Function& function = cubin.functions()[0];
  std::ifstream file(std::string(CUBIN_EXAMPLES) + "/" + GetParam().name + ".lines.tsv");
  std::uint64_t at = 0;
  std::string expected;
  for (std::string name, offset, lines; std::getline(file, name, '\t');) {
    std::getline(file, offset, '\t');
    std::getline(file, lines);
    EXPECT_EQ(function.name, name);
    for (; at < std::stoull(offset, nullptr, 16); at += 16)
      EXPECT_EQ(lines_of(cubin.frames(function, at)), expected) << at;
    expected = lines;
  }
  EXPECT_GT(at, 0x100);
  for (; at < function.code.size(); at += 16)
    EXPECT_EQ(lines_of(cubin.frames(function, at)), expected) << at;
}

TEST(Cubin, NamesInlinedFunctionsAndSubroutines) {
  const std::string bytes = read_file("nvcc_120.cubin");
  const Cubin cubin = cubin_of(bytes);
  const Function* scale = cubin.find("_Z5scalePKfPfi");
  ASSERT_NE(scale, nullptr);
  EXPECT_EQ(functions_of(cubin.frames(*scale, 0)), "scale(float const*, float*, int)");
  EXPECT_EQ(functions_of(cubin.frames(*scale, 0xd0)),
            "(inner(float)) (middle(float const*, int)) scale(float const*, float*, int)");
  EXPECT_EQ(functions_of(cubin.frames(*scale, 0x240)), "(inner(float)) outer(float)");
  EXPECT_EQ(functions_of(cubin.frames(*scale, 0x2a0)), "__cuda_sm3x_div_rn_noftz_f32_slowpath");
  EXPECT_EQ(cubin.find("_Z5scale"), nullptr);
}

TEST(Cubin, NamesInlinedFunctionsOfTriton) {
  const std::string bytes = read_file("triton_90.cubin");
  const Cubin cubin = cubin_of(bytes);
  const auto frames = cubin.frames(cubin.functions()[0], 0x120);
  EXPECT_EQ(lines_of(frames), "/tmp/example/example.py:7 /tmp/example/example.py:14");
  EXPECT_TRUE(frames[0].is_inlined);
  EXPECT_EQ(frames[1].function, "scale");
}

TEST(Cubin, FollowsChainsOfCalls) {
  const auto file = fuzz::tiny_cubin(fuzz::line_program(fuzz::kLineOpcodes));
  const Cubin cubin = cubin_of(file);
  const Function& kernel = cubin.functions()[0];
  EXPECT_EQ(lines_of(cubin.frames(kernel, 0)), "");
  EXPECT_EQ(lines_of(cubin.frames(kernel, 0x1f)), "/x/k.py:5");
  EXPECT_EQ(lines_of(cubin.frames(kernel, 0x20)), "/x/k.py:9 /x/k.py:5");
  EXPECT_EQ(lines_of(cubin.frames(kernel, 0x40)), "/x/k.py:2 /x/k.py:9 /x/k.py:5");
  EXPECT_EQ(functions_of(cubin.frames(kernel, 0x40)), "(inner) (middle) kernel");
  EXPECT_EQ(lines_of(cubin.frames(kernel, 0x1ff)), "/x/k.py:6");
  // The row before a subroutine does not count for it.
  EXPECT_EQ(functions_of(cubin.frames(kernel, 0x200)), "helper");
  EXPECT_EQ(lines_of(cubin.frames(kernel, 0x200)), "");
  EXPECT_EQ(functions_of(cubin.frames(kernel, 0x300)), "kernel");
}

TEST(Cubin, IgnoresCallsInLaterRows) {
  // Row 1 claims to be called in row 1, row 2 in row 9.
  const std::uint8_t opcodes[] = {0, 3, 0x90, 1, 0, 1, 0, 3, 0x90, 9, 0, 2, 16, 1, 2, 16, 0, 1, 1};
  const auto file = fuzz::tiny_cubin(fuzz::line_program(opcodes));
  const Cubin cubin = cubin_of(file);
  for (const std::uint64_t at : {0x0U, 0x10U})
    EXPECT_EQ(functions_of(cubin.frames(cubin.functions()[0], at)), "kernel");
}

TEST(Cubin, KnowsNoLineThatIsTooFarAway) {
  // The line advances by the largest and by the smallest number that an operand can hold.
  struct Operand {
    std::uint8_t nine_bytes, last;
  };
  for (const auto [byte, last] : {Operand{0xff, 0x00}, Operand{0x80, 0x01}}) {
    std::vector<std::uint8_t> opcodes(11, byte);
    opcodes.front() = 3;
    opcodes.back() = last;
    for (const int each : {1, 2, 16, 0, 1, 1}) opcodes.push_back(static_cast<std::uint8_t>(each));
    const auto file = fuzz::tiny_cubin(fuzz::line_program(opcodes));
    const Cubin cubin = cubin_of(file);
    EXPECT_TRUE(cubin.has_lines());
    EXPECT_EQ(lines_of(cubin.frames(cubin.functions()[0], 0)), "");
  }
}

TEST(Cubin, RejectsOtherFiles) {
  for (const std::string_view text : {"", "ELF", "\177ELF"})
    EXPECT_FALSE(Cubin::read(std::as_bytes(std::span(text))));
  auto file = fuzz::tiny_cubin({});
  file[18] = 62;  // x86-64
  const auto other = Cubin::read(std::as_bytes(std::span(file)));
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().message, "not a cubin");
}

TEST(Cubin, SurvivesEveryTruncation) {
  for (const std::string name : {"nvcc_75.cubin", "triton_90.cubin"}) {
    const std::string bytes = read_file(name);
    for (std::size_t size = 0; size < bytes.size(); size += 7) {
      const std::string part = bytes.substr(0, size);
      const auto cubin = Cubin::read(std::as_bytes(std::span(part)));
      EXPECT_FALSE(cubin.has_value() && size < 64);
      if (!cubin || cubin->functions().empty()) continue;
      EXPECT_FALSE(cubin->frames(cubin->functions()[0], 16).empty());
    }
  }
}

TEST(Cubin, ReadsCubinsWithoutLines) {
  const auto file = fuzz::tiny_cubin({});
  const Cubin cubin = cubin_of(file);
  EXPECT_FALSE(cubin.has_lines());
  EXPECT_EQ(functions_of(cubin.frames(cubin.functions()[0], 0x10)), "kernel");
}

}  // namespace
}  // namespace prof::cubin
