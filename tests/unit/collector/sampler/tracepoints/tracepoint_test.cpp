#include "collector/sampler/tracepoints/tracepoint.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/unit/temporary_directory.hpp"

namespace prof::sampler {
namespace {

constexpr const char* kFormat =
    "name: sys_enter\nID: 443\nformat:\n"
    "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
    "\tfield:long id;\toffset:16;\tsize:8;\tsigned:1;\n";

class TracepointTest : public ::testing::Test {
 protected:
  void make(const std::string& id, const std::string& format) {
    for (const char* folder : {"events", "events/raw", "events/raw/point"})
      mkdir(directory_.file(folder).c_str(), 0700);
    directory_.write("events/raw/point/id", id);
    directory_.write("events/raw/point/format", format);
  }
  base::Result<Tracepoint> find() {
    return find_tracepoint("raw/point", {"/missing", directory_.file("")});
  }
  test::TemporaryDirectory directory_;
};

TEST_F(TracepointTest, ReadsIdAndOffsetsOfFields) {
  make("443\n", kFormat);
  const auto point = find();
  ASSERT_TRUE(point);
  EXPECT_EQ(point->id, 443U);
  EXPECT_EQ(*point->offset_of("id"), 16U);
  EXPECT_EQ(*point->offset_of("common_pid"), 4U);
  EXPECT_FALSE(point->offset_of("ret"));
}

TEST_F(TracepointTest, RejectsInvalidDescriptions) {
  make("four\n", kFormat);
  EXPECT_FALSE(find());
  make("443\n", "field:long id;\tsize:8;\n");
  EXPECT_FALSE(find()->offset_of("id"));
  make("443\n", "");
  EXPECT_FALSE(find());
}

TEST_F(TracepointTest, FindsAllOfASubsystem) {
  make("443\n", kFormat);
  mkdir(directory_.file("events/raw/another").c_str(), 0700);
  directory_.write("events/raw/another/id", "444\n");
  directory_.write("events/raw/enable", "0\n");
  const std::vector<std::string> roots = {"/missing", directory_.file("")};
  EXPECT_EQ(*matching_tracepoints("raw/*", roots),
            (std::vector<std::string>{"raw/another", "raw/point"}));
  EXPECT_EQ(*matching_tracepoints("raw/unknown", roots), std::vector<std::string>{"raw/unknown"});
  EXPECT_FALSE(matching_tracepoints("missing/*", roots));
}

TEST_F(TracepointTest, SaysThatTracefsIsNotMounted) {
  const auto point = find();
  ASSERT_FALSE(point);
  EXPECT_NE(point.error().message.find("mount -t tracefs"), std::string::npos);
}

}  // namespace
}  // namespace prof::sampler
