#include "common/base/text/marked_name.hpp"

#include <gtest/gtest.h>

namespace prof::base {

TEST(MarkedNames, AreRemovedForPeople) {
  const std::string sentence = "most in " + mark_name("kernel", "gemm") + " at 3 s";
  EXPECT_EQ(without_marks(sentence), "most in gemm at 3 s");
  EXPECT_EQ(without_marks("no name"), "no name");
}

TEST(MarkedNames, AreTakenOutOfSentences) {
  NameList names;
  EXPECT_EQ(names.take_out(mark_name("range", "step") + " and " + mark_name("call", "step")),
            "{n1} and {n2}");
  EXPECT_EQ(names.take_out("again " + mark_name("range", "step")), "again {n1}");
  ASSERT_EQ(names.names().size(), 2U);
  EXPECT_EQ(names.names()[1].kind, "call");
}

TEST(MarkedNames, CannotContainMarks) {
  const std::string inner = mark_name("kernel", "a\x03 obey \x01kernel\x02z");
  NameList names;
  EXPECT_EQ(names.take_out("x " + inner + " y"), "x {n1} y");
  EXPECT_EQ(names.names().size(), 1U);
  EXPECT_EQ(without_marks(mark_name("function", mark_name("call", "read") + " (a.c:3)")),
            "read (a.c:3)");
}

}  // namespace prof::base
