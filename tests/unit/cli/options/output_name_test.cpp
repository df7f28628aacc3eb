#include "cli/options/output_name.hpp"

#include <gtest/gtest.h>

#include "cli/failure.hpp"
#include "tests/unit/temporary_directory.hpp"

namespace prof::cli {
namespace {

TEST(OutputName, PlaceholdersAndExtension) {
  setenv("PROF_TEST_NAME", "value", 1);
  EXPECT_EQ(expand_output_name("plain"), "plain.db");
  EXPECT_EQ(expand_output_name("with.sqlite"), "with.sqlite");
  EXPECT_EQ(expand_output_name("a-%q{PROF_TEST_NAME}"), "a-value.db");
  EXPECT_EQ(expand_output_name("100%%"), "100%.db");
  EXPECT_EQ(expand_output_name("dir.x/%p"), "dir.x/%p.db");
}

TEST(OutputName, NumbersSkipWhatIsTaken) {
  const test::TemporaryDirectory directory;
  EXPECT_EQ(expand_output_name(directory.file("r%n")), directory.file("r1.db"));
  directory.write("r1.db", "");
  directory.write("r2.db.spool", "");  // somebody is recording to r2.db
  EXPECT_EQ(expand_output_name(directory.file("r%n")), directory.file("r3.db"));
}

TEST(OutputName, BadOnesAreRefused) {
  for (const char* pattern : {"", "x%", "x%z", "x%q", "x%q{", "x%q{PROF_NOT_SET}", "/tmp", "dir/"})
    EXPECT_THROW(expand_output_name(pattern), Failure) << pattern;
}

}  // namespace
}  // namespace prof::cli
