#include "common/base/text/shell_word.hpp"

#include <gtest/gtest.h>

namespace prof::base {
namespace {

TEST(ShellWord, PlainWordsStay) {
  EXPECT_EQ(shell_word("/tmp/a-b_c.db:1,2=3@4%"), "/tmp/a-b_c.db:1,2=3@4%");
  EXPECT_EQ(shell_word("größe.db"), "größe.db");
}

TEST(ShellWord, OthersAreQuoted) {
  EXPECT_EQ(shell_word(""), "''");
  EXPECT_EQ(shell_word("a b"), "'a b'");
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_word("$(id)"), "'$(id)'");
  EXPECT_EQ(shell_word("~"), "'~'");
}

TEST(ShellWord, APathIsNoOption) {
  EXPECT_EQ(shell_word("-x.db"), "./-x.db");
  EXPECT_EQ(shell_word("-x y.db"), "'./-x y.db'");
}

}  // namespace
}  // namespace prof::base
