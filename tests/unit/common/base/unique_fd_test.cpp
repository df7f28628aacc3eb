#include "common/base/unique_fd.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>

namespace prof::base {
namespace {

bool is_open(int fd) { return fcntl(fd, F_GETFD) >= 0; }

TEST(UniqueFd, ClosesOnce) {
  int number;
  {
    UniqueFd fd(open("/dev/null", O_RDONLY));
    number = fd.get();
    UniqueFd moved(std::move(fd));
    EXPECT_TRUE(moved);
    EXPECT_FALSE(fd);  // NOLINT(bugprone-use-after-move): that is what is tested
    EXPECT_TRUE(is_open(number));
  }
  EXPECT_FALSE(is_open(number));
}

TEST(UniqueFd, ReleaseHandsOver) {
  UniqueFd fd(open("/dev/null", O_RDONLY));
  const int number = fd.release();
  fd.reset();
  EXPECT_TRUE(is_open(number));
  close(number);
}

}  // namespace
}  // namespace prof::base
