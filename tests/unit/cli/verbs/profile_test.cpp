#include <gtest/gtest.h>

#include <set>
#include <string>

#include "cli/verbs/verbs.hpp"

namespace prof::cli {
namespace {

// CLI11 does not compare them all (cli/options/defined_apart.hpp).
TEST(Profile, EachOptionNameIsDefinedOnce) {
  CLI::App app;
  const auto profile = make_profile();
  profile->define(app);
  std::set<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames())
      EXPECT_TRUE(names.insert("--" + name).second) << name;
    for (const std::string& name : option->get_snames())
      EXPECT_TRUE(names.insert("-" + name).second) << name;
  }
  EXPECT_TRUE(names.contains("--trace"));
  EXPECT_TRUE(names.contains("--command-file"));
}

}  // namespace
}  // namespace prof::cli
