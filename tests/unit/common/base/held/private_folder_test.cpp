#include "common/base/held/private_folder.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <filesystem>

#include "tests/unit/temporary_directory.hpp"

namespace prof::base {
namespace {

namespace fs = std::filesystem;

class PrivateFolderTest : public ::testing::Test {
 protected:
  // A folder whose prof was killed, with a file and a folder in it.
  std::string leave() const {
    const pid_t killed = fork();
    if (killed == 0) {
      const auto folder = PrivateFolder::create(base_.file("prof-left-"));
      fs::create_directories(folder->path() + "/folder/inner");
      std::ofstream(folder->path() + "/file") << "content";
      raise(SIGKILL);
    }
    waitpid(killed, nullptr, 0);
    for (const auto& each : fs::directory_iterator(base_.file("")))
      if (each.path().filename().string().starts_with("prof-left-")) return each.path().string();
    return "";
  }
  test::TemporaryDirectory base_;
};

TEST_F(PrivateFolderTest, IsPrivateAndRemovedWithItsObject) {
  std::string path;
  {
    const auto folder = PrivateFolder::create(base_.file("prof-"));
    ASSERT_TRUE(folder);
    path = folder->path();
    struct stat info {};
    ASSERT_EQ(stat(path.c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0700U);
    EXPECT_TRUE(folder->is_there());
    fs::create_directories(path + "/folder/inner");
    remove_left_folder(path);
    EXPECT_TRUE(fs::exists(path + "/folder/inner"));
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST_F(PrivateFolderTest, AnotherOneOfThatNameStays) {
  std::string path;
  {
    const auto folder = PrivateFolder::create(base_.file("prof-"));
    ASSERT_TRUE(folder);
    path = folder->path();
    fs::rename(path, base_.file("moved"));
    fs::create_directory(path);
    EXPECT_FALSE(folder->is_there());
  }
  EXPECT_TRUE(fs::exists(path));
}

TEST_F(PrivateFolderTest, WhatAKilledProfLeftIsRemovedOnce) {
  const std::string path = leave();
  ASSERT_TRUE(fs::exists(path + "/file"));
  remove_left_folder(path, [] { return true; });  // somebody wants it
  EXPECT_TRUE(fs::exists(path + "/file"));
  remove_left_folder(path);
  EXPECT_FALSE(fs::exists(path));
}

TEST_F(PrivateFolderTest, FoldersOfOtherProgramsStay) {
  fs::create_directory(base_.file("prof-other"));
  base_.write("prof-other/file", "content");
  remove_left_folder(base_.file("prof-other"));
  EXPECT_TRUE(fs::exists(base_.file("prof-other/file")));
}

TEST_F(PrivateFolderTest, AnEmptyOneGoes) {
  fs::create_directory(base_.file("prof-empty"));
  remove_left_folder(base_.file("prof-empty"));
  EXPECT_FALSE(fs::exists(base_.file("prof-empty")));
}

TEST_F(PrivateFolderTest, IsNeverTakenFromItsCreator) {
  const pid_t remover = fork();
  if (remover == 0) prctl(PR_SET_PDEATHSIG, SIGKILL);
  while (remover == 0)
    for (const auto& each : fs::directory_iterator(base_.file("")))
      remove_left_folder(each.path().string());
  for (int i = 0; i < 2000; ++i) {
    const auto folder = PrivateFolder::create(base_.file("prof-"));
    EXPECT_TRUE(folder && folder->is_there()) << i;
  }
  kill(remover, SIGKILL);
  waitpid(remover, nullptr, 0);
}

}  // namespace
}  // namespace prof::base
