#include "common/base/held/held_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <filesystem>

#include "tests/unit/temporary_directory.hpp"

namespace prof::base {
namespace {

class HeldFile : public ::testing::Test {
 protected:
  bool exists() const { return std::filesystem::exists(path_); }
  test::TemporaryDirectory folder_;
  std::string path_ = folder_.file("file");
};

TEST_F(HeldFile, IsPrivateWhateverTheUmask) {
  for (const mode_t mask : {0U, 0777U}) {
    const mode_t before = umask(mask);
    const UniqueFd file = create_held_file(path_);
    umask(before);
    struct stat info {};
    ASSERT_EQ(fstat(file.get(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0600U);
    EXPECT_FALSE(create_held_file(path_));
    EXPECT_EQ(errno, EEXIST);
    std::filesystem::remove(path_);
  }
}

TEST_F(HeldFile, StaysWhileSomebodyHoldsIt) {
  UniqueFd file = create_held_file(path_);
  remove_left_file(path_);
  EXPECT_TRUE(exists());
  // A child process goes on with what its parent wrote.
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    close(ends[1]);
    char end;
    _exit(static_cast<int>(read(ends[0], &end, 1)));
  }
  file.reset();
  remove_left_file(path_);
  EXPECT_TRUE(exists());
  close(ends[1]);
  waitpid(child, nullptr, 0);
  remove_left_file(path_);
  EXPECT_FALSE(exists());
}

// A sandbox can forbid flock().
TEST_F(HeldFile, StaysWhileItIsLockedByFcntl) {
  {
    const UniqueFd file(open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    struct flock lock {};
    lock.l_type = F_WRLCK;
    ASSERT_EQ(fcntl(file.get(), F_OFD_SETLK, &lock), 0);
    EXPECT_FALSE(is_locked_otherwise(file.get()));  // it is its own lock
    remove_left_file(path_);
    EXPECT_TRUE(exists());
  }
  remove_left_file(path_);
  EXPECT_FALSE(exists());
}

TEST_F(HeldFile, OnlyRegularFilesAreTaken) {
  std::filesystem::create_directory(folder_.file("folder"));
  folder_.write("other", "content");
  std::filesystem::create_symlink("other", folder_.file("link"));
  ASSERT_EQ(mkfifo(folder_.file("pipe").c_str(), 0600), 0);
  for (const char* name : {"folder", "link", "pipe", "missing"})
    EXPECT_FALSE(take_left_file(folder_.file(name))) << name;
  EXPECT_TRUE(take_left_file(folder_.file("other")));
}

// One process creates files, another one takes each of them for left as soon as it sees it. None
// of those that the first one holds may be gone.
TEST_F(HeldFile, IsNeverTakenFromItsCreator) {
  const pid_t remover = fork();
  if (remover == 0) prctl(PR_SET_PDEATHSIG, SIGKILL);
  while (remover == 0) remove_left_file(path_);
  for (int i = 0; i < 5000; ++i) {
    const UniqueFd file = create_held_file(path_);
    EXPECT_TRUE(file);
    EXPECT_TRUE(exists()) << i;
    std::filesystem::remove(path_);
  }
  kill(remover, SIGKILL);
  waitpid(remover, nullptr, 0);
}

}  // namespace
}  // namespace prof::base
