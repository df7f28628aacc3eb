#include "collector/base/temporary_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
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

TEST(TemporaryFile, RenamingReplacesAFileAndNoFolder) {
  const test::TemporaryDirectory directory;
  const std::string from = directory.write("from", "new");
  const std::string taken = directory.write("taken", "old");
  EXPECT_EQ(rename_over(from, taken), 0);
  EXPECT_EQ(test::read_file(taken), "new");
  EXPECT_NE(access(from.c_str(), F_OK), 0);
  EXPECT_EQ(rename_over(taken, directory.file("free")), 0);
  EXPECT_EQ(test::read_file(directory.file("free")), "new");
  const std::string folder = directory.file("folder");
  ASSERT_EQ(mkdir(folder.c_str(), 0700), 0);
  EXPECT_EQ(rename_over(directory.file("free"), folder), EISDIR);
  EXPECT_EQ(test::read_file(directory.file("free")), "new");
  EXPECT_EQ(rename_over(from, directory.file("free")), ENOENT);
  EXPECT_EQ(test::read_file(directory.file("free")), "new");
}

}  // namespace
}  // namespace prof::base
