#include "exporters/analysis/stats/arguments.hpp"

#include <gtest/gtest.h>

#include <string>

namespace prof::stats {
namespace {

std::string error_of(std::string_view words, Takes takes = Takes::kKernelAndRangeName) {
  const auto arguments = parse_arguments(words, takes);
  return arguments ? "" : arguments.error().message;
}

TEST(Arguments, None) {
  const auto none = parse_arguments("", Takes::kNothing);
  ASSERT_TRUE(none);
  EXPECT_EQ(none->kernels.name, events::KernelName::kDemangled);
  EXPECT_FALSE(none->kernels.nvtx_range);
}

TEST(Arguments, InEitherOrder) {
  for (const char* words : {"nvtx-name:base", "base:nvtx-name", "base:nvtx-name:"}) {
    const auto arguments = parse_arguments(words, Takes::kKernelAndRangeName);
    ASSERT_TRUE(arguments) << words;
    EXPECT_EQ(arguments->kernels.name, events::KernelName::kBase);
    EXPECT_TRUE(arguments->kernels.nvtx_range);
  }
  EXPECT_EQ(parse_arguments("mangled", Takes::kKernelAndRangeName)->kernels.name,
            events::KernelName::kMangled);
}

TEST(Arguments, UnknownOnesAreNamedWithTheAllowed) {
  EXPECT_EQ(error_of("nvtx-name:foo"),
            "unknown argument foo (allowed: base or mangled, nvtx-name)");
  EXPECT_NE(error_of("base:mangled").find("mangled"), std::string::npos);
  EXPECT_NE(error_of("base", Takes::kNothing).find("takes no arguments"), std::string::npos);
}

TEST(Arguments, OnlyTheKernelsName) {
  EXPECT_EQ(parse_arguments("base", Takes::kKernelName)->kernels.name, events::KernelName::kBase);
  EXPECT_EQ(error_of("nvtx-name", Takes::kKernelName),
            "unknown argument nvtx-name (allowed: base or mangled)");
}

TEST(Arguments, Bytes) {
  EXPECT_FALSE(parse_arguments("", Takes::kBytes)->by_bytes);
  EXPECT_TRUE(parse_arguments("bytes", Takes::kBytes)->by_bytes);
  EXPECT_EQ(error_of("time", Takes::kBytes), "unknown argument time (allowed: bytes)");
}

TEST(Arguments, Rows) {
  EXPECT_EQ(parse_arguments("", Takes::kRows)->rows, 10);
  EXPECT_EQ(parse_arguments("rows=3", Takes::kRows)->rows, 3);
  EXPECT_EQ(parse_arguments("rows=-1", Takes::kRows)->rows, -1);
  for (const char* words : {"rows=", "rows=-2", "rows=3x", "rows=99999999999999999999"})
    EXPECT_EQ(error_of(words, Takes::kRows),
              "bad argument " + std::string(words) + " (allowed: rows=NUMBER, -1 for all)");
  EXPECT_NE(error_of("base", Takes::kRows).find("unknown argument base"), std::string::npos);
}

}  // namespace
}  // namespace prof::stats
