#include "collector/base/temporary_file.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>

#include "tests/unit/temporary_directory.hpp"

namespace prof::base {
namespace {

TEST(TemporaryFile, TheNameSaysWhoseItIs) {
  EXPECT_EQ(temporary_owner(temporary_name("folder/report.db")), getpid());
  for (const char* name : {"report.db", "r.tmp-prof", "r.tmp-prof0", "r.tmp-prof-5", "r.tmp-prof5x",
                           "r.tmp5", ".tmp-prof5", "r.tmp-prof99999999999"})
    EXPECT_EQ(temporary_owner(name), 0) << name;
}

TEST(TemporaryFile, RenamingReplacesNothing) {
  const test::TemporaryDirectory directory;
  const std::string from = directory.write("from", "new");
  const std::string taken = directory.write("taken", "old");
  EXPECT_EQ(rename_new(from, taken), EEXIST);
  EXPECT_EQ(test::read_file(taken), "old");
  EXPECT_EQ(rename_new(from, directory.file("free")), 0);
  EXPECT_EQ(test::read_file(directory.file("free")), "new");
  EXPECT_EQ(rename_new(from, directory.file("other")), ENOENT);
}

}  // namespace
}  // namespace prof::base
