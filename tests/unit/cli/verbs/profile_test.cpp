#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "cli/verbs/verbs.hpp"

namespace prof::cli {
namespace {

// CLI11 from 2.4 on takes the name of a positional argument for that of an option, too.
TEST(Verbs, EachNameIsDefinedOnce) {
  for (const auto& verb : make_verbs()) {
    CLI::App app;
    verb->define(app);
    std::set<std::string> names;
    for (const CLI::Option* option : app.get_options()) {
      std::vector<std::string> all = option->get_lnames();
      for (const std::string& name : option->get_snames()) all.push_back(name);
      if (all.empty()) all.push_back(option->get_name(true));
      for (const std::string& name : all)
        EXPECT_TRUE(names.insert(name).second) << verb->name() << ' ' << name;
    }
    EXPECT_TRUE(names.contains("help")) << verb->name();
  }
}

TEST(Profile, FrequentOptionsAreSomeOfAll) {
  CLI::App all;
  CLI::App frequent;
  const auto profile = make_profile();
  profile->define(all);
  for (const OptionGroup& group : profile->groups())
    if (group.is_frequent) group.define(frequent);
  EXPECT_NE(frequent.get_option_no_throw("--trace"), nullptr);
  EXPECT_NE(frequent.get_option_no_throw("--command-file"), nullptr);
  EXPECT_LT(frequent.get_options().size(), all.get_options().size() / 4);
}

}  // namespace
}  // namespace prof::cli
