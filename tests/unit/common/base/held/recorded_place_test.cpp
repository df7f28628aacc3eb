#include "common/base/held/recorded_place.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/unit/temporary_directory.hpp"

namespace prof::base {
namespace {

namespace fs = std::filesystem;

class RecordedPlace : public ::testing::Test {
 protected:
  RecordedPlace() {
    fs::create_directories(base_.file("outer/inner"));
    base_.write("outer/inner/r.db.spool", "recording");
    description_ = describe_place(base_.file("outer/inner/r.db.spool"));
  }
  bool is_gone_now() const { return is_gone(description_); }
  test::TemporaryDirectory base_;
  std::string description_;
};

TEST_F(RecordedPlace, AFileThatIsThere) { EXPECT_FALSE(is_gone_now()); }

TEST_F(RecordedPlace, AFileThatWasRemoved) {
  fs::remove(base_.file("outer/inner/r.db.spool"));
  EXPECT_TRUE(is_gone_now());
}

TEST_F(RecordedPlace, AFolderThatWasRemoved) {
  fs::remove_all(base_.file("outer"));
  EXPECT_TRUE(is_gone_now());
}

TEST_F(RecordedPlace, AnotherName) {
  fs::rename(base_.file("outer/inner/r.db.spool"), base_.file("outer/inner/other.spool"));
  EXPECT_FALSE(is_gone_now());
}

TEST_F(RecordedPlace, AnotherNameOfAFolder) {
  fs::rename(base_.file("outer"), base_.file("other"));
  EXPECT_FALSE(is_gone_now());
}

// Another mount namespace sees the place like this: another file system lies on one of the folders.
TEST_F(RecordedPlace, AnotherFolderOfThatName) {
  fs::rename(base_.file("outer/inner"), base_.file("hidden"));
  fs::create_directory(base_.file("outer/inner"));
  EXPECT_FALSE(is_gone_now());
  fs::remove(base_.file("outer/inner"));
  fs::rename(base_.file("outer"), base_.file("hidden-outer"));
  fs::create_directory(base_.file("outer"));
  EXPECT_FALSE(is_gone_now());
}

TEST_F(RecordedPlace, NoDescription) {
  EXPECT_EQ(describe_place(base_.file("missing")), "");
  for (const char* text : {"", "text", "1 2", "1 x /tmp"})
    EXPECT_FALSE(is_gone(std::string(text) + '\0')) << text;
}

}  // namespace
}  // namespace prof::base
