#include "collector/session/session_directory.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/unit/temporary_directory.hpp"

namespace prof::session {
namespace {

class SessionDirectoryTest : public ::testing::Test {
 protected:
  SessionDirectoryTest() {
    unsetenv("XDG_RUNTIME_DIR");
    setenv("TMPDIR", base_.file("").c_str(), 1);
  }
  ~SessionDirectoryTest() override { unsetenv("TMPDIR"); }
  test::TemporaryDirectory base_;
};

TEST_F(SessionDirectoryTest, IsPrivateAndRemovedWithItsObject) {
  std::string path;
  {
    const auto directory = SessionDirectory::create();
    ASSERT_TRUE(directory);
    path = directory->path();
    struct stat info {};
    ASSERT_EQ(stat(path.c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0700U);
    EXPECT_TRUE(path.starts_with(base_.file("")));
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST_F(SessionDirectoryTest, SkipsATooLongBase) {
  setenv("TMPDIR", base_.file(std::string(100, 'x')).c_str(), 1);
  const auto directory = SessionDirectory::create();
  ASSERT_TRUE(directory);
  EXPECT_TRUE(directory->path().starts_with("/tmp/prof-"));
}

}  // namespace
}  // namespace prof::session
