#include "common/base/temporary_file.hpp"

#include <gtest/gtest.h>

#include <cerrno>

#include "tests/unit/temporary_directory.hpp"

namespace prof::base {
namespace {

TEST(TemporaryFile, TheNameIsOfProf) {
  EXPECT_EQ(temporary_name("folder/report.db"), temporary_name("folder/report.db"));
  EXPECT_TRUE(is_temporary_name(temporary_name("folder/report.db")));
  EXPECT_TRUE(is_temporary_name(reserved_name("report.db", ReservedFor::kLater)));
  for (const char* name :
       {"report.db", "r.tmp-prof", "r.tmp-prof0", "r.tmp-prof-5", "r.tmp-prof5x", "r.tmp5",
        ".tmp-prof5-01234567", "r.tmp-prof5-0123456", "r.tmp-prof5-012345678",
        "r.tmp-prof-01234567", "r.tmp-prof5-0123456x", "r.tmp-profx-01234567"})
    EXPECT_FALSE(is_temporary_name(name)) << name;
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
