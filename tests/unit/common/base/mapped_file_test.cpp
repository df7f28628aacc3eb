#include "common/base/mapped_file.hpp"

#include <gtest/gtest.h>

#include "tests/unit/temporary_directory.hpp"

namespace prof::base {
namespace {

TEST(MappedFile, ShowsTheContent) {
  const test::TemporaryDirectory directory;
  auto file = MappedFile::open(directory.write("f", "content"));
  ASSERT_TRUE(file);
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(file->data()), file->size()), "content");
}

TEST(MappedFile, EmptyFileIsEmpty) {
  const test::TemporaryDirectory directory;
  auto file = MappedFile::open(directory.write("f", ""));
  ASSERT_TRUE(file);
  EXPECT_EQ(file->size(), 0U);
}

TEST(MappedFile, ErrorsNameTheFile) {
  const auto missing = MappedFile::open("/no/such/file");
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().message.find("/no/such/file: No such file"), std::string::npos);
  EXPECT_FALSE(MappedFile::open("/tmp"));
  EXPECT_FALSE(MappedFile::open("/dev/null"));
}

TEST(MappedFile, MovesLeaveNothingBehind) {
  const test::TemporaryDirectory directory;
  auto first = *MappedFile::open(directory.write("f", "abc"));
  const MappedFile second = std::move(first);
  EXPECT_EQ(second.size(), 3U);
  EXPECT_EQ(first.data(), nullptr);  // NOLINT(bugprone-use-after-move): that is what is tested
}

}  // namespace
}  // namespace prof::base
