#include "cli/options/output_name.hpp"

#include <gtest/gtest.h>

#include <optional>

#include "cli/messages/failure.hpp"
#include "common/base/temporary_file.hpp"
#include "tests/unit/temporary_directory.hpp"

namespace prof::cli {
namespace {

TEST(OutputName, PlaceholdersAndExtension) {
  setenv("PROF_TEST_NAME", "value", 1);
  EXPECT_EQ(expand_output_name("plain").path(), "plain.db");
  EXPECT_EQ(expand_output_name("with.sqlite").path(), "with.sqlite");
  EXPECT_EQ(expand_output_name("run_v1.2").path(), "run_v1.2.db");
  EXPECT_EQ(expand_output_name("of.%p").path(), "of.%p.db");
  EXPECT_EQ(expand_output_name("a-%q{PROF_TEST_NAME}").path(), "a-value.db");
  EXPECT_EQ(expand_output_name("100%%").path(), "100%.db");
  EXPECT_EQ(expand_output_name("dir.x/%p").path(), "dir.x/%p.db");
}

TEST(OutputName, NumbersSkipWhatIsTaken) {
  const test::TemporaryDirectory directory;
  EXPECT_EQ(expand_output_name(directory.file("r%n")).path(), directory.file("r1.db"));
  directory.write("r1.db", "");
  directory.write("r2.db.spool", "");  // somebody is recording to r2.db
  EXPECT_EQ(expand_output_name(directory.file("r%n")).path(), directory.file("r3.db"));
}

TEST(OutputName, NobodyElseChoosesTheNumber) {
  const test::TemporaryDirectory directory;
  const std::string pattern = directory.file("r%n");
  std::optional<OutputName> first(expand_output_name(pattern));
  const OutputName second = expand_output_name(pattern);
  EXPECT_EQ(first->path(), directory.file("r1.db"));
  EXPECT_EQ(second.path(), directory.file("r2.db"));
  first.reset();
  EXPECT_EQ(expand_output_name(pattern).path(), directory.file("r1.db"));
  // Of a killed prof.
  directory.write(
      std::filesystem::path(base::reserved_name("r1.db", base::ReservedFor::kNow)).filename(), "");
  EXPECT_EQ(expand_output_name(pattern).path(), directory.file("r1.db"));
  {
    const auto later = base::ReservedName::await(directory.file("r1.db"));
    EXPECT_EQ(expand_output_name(pattern).path(), directory.file("r3.db"));
  }
  EXPECT_EQ(expand_output_name(pattern).path(), directory.file("r1.db"));
  directory.write("r1.1.db", "");  // the first range of a recording
  EXPECT_EQ(expand_output_name(pattern).path(), directory.file("r3.db"));
}

TEST(OutputName, BadOnesAreRefused) {
  for (const char* pattern : {"", "x%", "x%z", "x%q", "x%q{", "x%q{PROF_NOT_SET}", "/tmp", "dir/"})
    EXPECT_THROW(expand_output_name(pattern), Failure) << pattern;
}

}  // namespace
}  // namespace prof::cli
