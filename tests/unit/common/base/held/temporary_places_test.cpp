#include "common/base/held/temporary_places.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "tests/unit/temporary_directory.hpp"

namespace prof::base {
namespace {

namespace fs = std::filesystem;

class TemporaryPlaces : public ::testing::Test {
 protected:
  TemporaryPlaces() {
    unsetenv("XDG_RUNTIME_DIR");
    setenv("TMPDIR", base_.file("").c_str(), 1);
  }
  ~TemporaryPlaces() override { unsetenv("TMPDIR"); }
  bool exists(const char* name) const { return fs::exists(base_.file(name)); }
  test::TemporaryDirectory base_;
};

TEST_F(TemporaryPlaces, ThoseThatOthersCanWriteToComeLast) {
  EXPECT_EQ(temporary_places(), (std::vector<std::string>{base_.file(""), "/tmp"}));
  chmod(base_.file("").c_str(), 0777);
  EXPECT_EQ(temporary_places(), (std::vector<std::string>{"/tmp", base_.file("")}));
  EXPECT_EQ(safe_temporary_places(), std::vector<std::string>{"/tmp"});
}

TEST_F(TemporaryPlaces, OnlyWhatAKilledProfLeftIsRemoved) {
  const std::vector<const char*> others{"prof-abcdef",    "prof-x-abcdef", "other-5-abcdef",
                                        "prof-5-abcdefg", "prof-0",        "prof-live-abcdef"};
  for (const char* name : others) {
    fs::create_directory(base_.file(name));
    base_.write(std::string(name) + "/file", "content");
  }
  for (const char* name : {"prof-999999999-aaaaaa", "prof-1-bbbbbb", "prof-live-cccccc"}) {
    fs::create_directory(base_.file(name));
    base_.write(std::string(name) + "/.prof-lock", "");
  }
  fs::create_directory(base_.file("prof-run-dddddd"));  // mktemp -d prof-run-XXXXXX
  remove_left_temporaries();
  EXPECT_TRUE(exists("prof-run-dddddd"));
  for (const char* name : others) EXPECT_TRUE(exists(name)) << name;
  for (const char* name : {"prof-999999999-aaaaaa", "prof-1-bbbbbb", "prof-live-cccccc"})
    EXPECT_FALSE(exists(name)) << name;
}

TEST_F(TemporaryPlaces, AFolderThatSomebodyElseHasIsPassedBy) {
  const std::string path = base_.file("own");
  EXPECT_EQ(make_own_folder(path, 0700), path);
  EXPECT_EQ(make_own_folder(path, 0700), path);
  chmod(path.c_str(), 0755);  // as good as another user's
  EXPECT_TRUE(own_folders(path, 0700).empty());
  const auto other = make_own_folder(path, 0700);
  ASSERT_TRUE(other);
  EXPECT_TRUE(other->starts_with(path + ".")) << *other;
  EXPECT_EQ(make_own_folder(path, 0700), *other);
  EXPECT_EQ(own_folders(path, 0700), std::vector<std::string>{*other});
  EXPECT_EQ(make_own_folder(path, 0755), path);
}

TEST_F(TemporaryPlaces, WhereNothingCanBeCreated) {
  const auto folder = make_own_folder(base_.file("missing/own"), 0700);
  ASSERT_FALSE(folder);
  EXPECT_NE(folder.error().message.find("missing/own: No such file"), std::string::npos);
}

}  // namespace
}  // namespace prof::base
