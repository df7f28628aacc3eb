#include "exporters/stats/arguments.hpp"

#include <gtest/gtest.h>

#include <string>

namespace prof::stats {
namespace {

std::string error_of(std::string_view words, bool names_kernels = true) {
  const auto arguments = parse_arguments(words, names_kernels);
  return arguments ? "" : arguments.error().message;
}

TEST(Arguments, None) {
  const auto none = parse_arguments("", false);
  ASSERT_TRUE(none);
  EXPECT_EQ(none->kernel_name, KernelName::kDemangled);
  EXPECT_FALSE(none->nvtx_name);
}

TEST(Arguments, InEitherOrder) {
  for (const char* words : {"nvtx-name:base", "base:nvtx-name", "base:nvtx-name:"}) {
    const auto arguments = parse_arguments(words, true);
    ASSERT_TRUE(arguments) << words;
    EXPECT_EQ(arguments->kernel_name, KernelName::kBase);
    EXPECT_TRUE(arguments->nvtx_name);
  }
  EXPECT_EQ(parse_arguments("mangled", true)->kernel_name, KernelName::kMangled);
}

TEST(Arguments, UnknownOnesAreNamedWithTheAllowed) {
  EXPECT_EQ(error_of("nvtx-name:foo"),
            "unknown argument foo (allowed: base or mangled, nvtx-name)");
  EXPECT_NE(error_of("base:mangled").find("mangled"), std::string::npos);
  EXPECT_NE(error_of("base", false).find("takes none"), std::string::npos);
}

}  // namespace
}  // namespace prof::stats
