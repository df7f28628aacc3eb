#include "common/base/text_file.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>

namespace prof::base {
namespace {

TEST(TextFile, IsReadWhole) {
  const std::string path = testing::TempDir() + "/text_file";
  const std::string text(100'000, 'x');
  std::ofstream(path) << text;
  EXPECT_EQ(read_text_file(path), text);
  EXPECT_EQ(read_text_file(path, 20'000), text.substr(0, 20'000));
  unlink(path.c_str());
}

TEST(TextFile, ThatCannotBeReadIsNothing) {
  EXPECT_EQ(read_text_file("/no such file"), std::nullopt);
  EXPECT_EQ(errno, ENOENT);
  EXPECT_EQ(read_text_file("/"), std::nullopt);
  EXPECT_EQ(errno, EISDIR);
}

// Like those of /proc whose process ends between open and read.
TEST(TextFile, WhoseReadFailsIsNothing) {
  EXPECT_EQ(read_text_file("/proc/self/mem"), std::nullopt);
  EXPECT_EQ(errno, EIO);
}

}  // namespace
}  // namespace prof::base
