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

TEST(Profile, FrequentOptionsAreTheSameAmongAll) {
  CLI::App all;
  CLI::App frequent;
  const auto profile = make_profile();
  profile->define(all);
  ASSERT_TRUE(profile->define_frequent(frequent));
  EXPECT_LT(frequent.get_options().size(), all.get_options().size());
  for (const CLI::Option* option : frequent.get_options()) {
    const CLI::Option* same = all.get_option_no_throw(option->get_name());
    ASSERT_NE(same, nullptr) << option->get_name();
    EXPECT_EQ(same->get_name(false, true), option->get_name(false, true));
    EXPECT_EQ(same->get_description(), option->get_description());
    EXPECT_EQ(same->get_type_name(), option->get_type_name());
    EXPECT_EQ(same->get_default_str(), option->get_default_str());
  }
}

}  // namespace
}  // namespace prof::cli
