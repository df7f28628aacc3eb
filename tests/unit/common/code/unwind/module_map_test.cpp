#include "common/code/unwind/module_map.hpp"

#include <gtest/gtest.h>

namespace prof::unwind {
namespace {

MapEvent event(std::uint64_t time, std::uint64_t start, std::uint64_t length, std::string path,
               std::uint64_t offset = 0) {
  MapEvent made;
  made.time = time;
  made.start = start;
  made.length = length;
  made.offset = offset;
  made.path = std::move(path);
  return made;
}

struct Map : testing::Test {
  std::string path_at(std::uint64_t address, std::uint64_t time) const {
    const Mapping* mapping = map.find(address, time);
    if (mapping == nullptr) return "nothing";
    return mapping->module ? mapping->module->path() : "no file";
  }
  Modules modules;
  ModuleMap map{modules};
};

TEST_F(Map, FindsWhatHoldsTheAddress) {
  map.add(event(0, 0x1000, 0x1000, "/a"));
  map.add(event(0, 0x3000, 0x1000, "/b"));
  EXPECT_EQ(path_at(0xfff, 1), "nothing");
  EXPECT_EQ(path_at(0x1000, 1), "/a");
  EXPECT_EQ(path_at(0x1fff, 1), "/a");
  EXPECT_EQ(path_at(0x2000, 1), "nothing");
  EXPECT_EQ(path_at(0x3000, 1), "/b");
}

TEST_F(Map, KnowsWhatWasThereBefore) {
  map.add(event(10, 0x1000, 0x1000, "/a"));
  map.add(event(20, 0x1000, 0x1000, "/b"));
  map.remove(0x1000, 0x1000, 30);
  EXPECT_EQ(path_at(0x1800, 9), "nothing");
  EXPECT_EQ(path_at(0x1800, 10), "/a");
  EXPECT_EQ(path_at(0x1800, 19), "/a");
  EXPECT_EQ(path_at(0x1800, 20), "/b");
  EXPECT_EQ(path_at(0x1800, 30), "nothing");
}

TEST_F(Map, AHoleLeavesBothSidesWithTheirOffsets) {
  map.add(event(1, 0x1000, 0x3000, "/a", 0x500));
  map.add(event(2, 0x2000, 0x1000, "/b"));
  EXPECT_EQ(path_at(0x1fff, 3), "/a");
  EXPECT_EQ(path_at(0x2000, 3), "/b");
  ASSERT_EQ(path_at(0x3000, 3), "/a");
  EXPECT_EQ(map.find(0x3000, 3)->offset, 0x2500U);
  EXPECT_EQ(path_at(0x2000, 1), "/a");
  EXPECT_EQ(map.find(0x2000, 1)->offset, 0x1500U);
}

TEST_F(Map, EventsMayComeOutOfOrder) {
  map.add(event(20, 0x2000, 0x1000, "/later"));
  map.add(event(10, 0x1000, 0x3000, "/earlier"));
  EXPECT_EQ(path_at(0x2000, 15), "/earlier");
  EXPECT_EQ(path_at(0x2000, 25), "/later");
  EXPECT_EQ(path_at(0x1000, 25), "/earlier");
  EXPECT_EQ(path_at(0x3000, 25), "/earlier");
  EXPECT_EQ(map.find(0x3000, 25)->offset, 0x2000U);
}

TEST_F(Map, DataEndsCode) {
  map.add(event(1, 0x1000, 0x1000, "/a"));
  MapEvent data = event(2, 0x1000, 0x1000, "/a");
  data.executable = false;
  map.add(data);
  EXPECT_EQ(path_at(0x1000, 3), "nothing");
}

TEST_F(Map, CodeWithoutAFileHasNoModule) {
  const char* names[] = {"",       "//anon",   "/tmp/gone (deleted)", "/memfd:jit (deleted)",
                         "[heap]", "/dev/zero"};
  for (const char* name : names) {
    map.add(event(1, 0x1000, 0x1000, name));
    EXPECT_EQ(path_at(0x1000, 1), "no file") << name;
  }
}

TEST_F(Map, CodeWithoutAFileIsOfTheProcessThatMappedItOrOneForkedFromThat) {
  ModuleMap parent(modules, 10);
  parent.add(event(1, 0x1000, 0x1000, "//anon"));
  ModuleMap child = parent.forked(20, 2);
  child.add(event(3, 0x3000, 0x1000, "//anon"));
  const ModuleMap grandchild = child.forked(30, 4);
  const auto makers = [](const ModuleMap& of, std::uint64_t address) {
    const auto span = of.makers_of_code(*of.find(address, 5));
    return std::vector<pid_t>(span.begin(), span.end());
  };
  EXPECT_EQ(makers(parent, 0x1000), (std::vector<pid_t>{10}));
  EXPECT_EQ(makers(grandchild, 0x1000), (std::vector<pid_t>{30, 20, 10}));
  EXPECT_EQ(makers(grandchild, 0x3000), (std::vector<pid_t>{30, 20}));
}

TEST_F(Map, ProcessesShareModules) {
  ModuleMap other(modules);
  map.add(event(1, 0x1000, 0x1000, "/a"));
  other.add(event(1, 0x9000, 0x1000, "/a"));
  EXPECT_EQ(map.find(0x1000, 1)->module, other.find(0x9000, 1)->module);
}

TEST_F(Map, AForkedChildGoesItsOwnWay) {
  map.add(event(1, 0x1000, 0x1000, "/a"));
  ModuleMap child = map;
  child.add(event(2, 0x1000, 0x1000, "/b"));
  EXPECT_EQ(path_at(0x1000, 3), "/a");
  EXPECT_EQ(child.find(0x1000, 3)->module->path(), "/b");
}

TEST_F(Map, ForgetsWhatIsOver) {
  for (std::uint64_t time = 0; time < 100; ++time) map.add(event(time, 0x1000, 0x1000, "/a"));
  EXPECT_EQ(map.ended_count(), 99U);
  map.forget_before(90);
  EXPECT_EQ(map.ended_count(), 9U);
  EXPECT_EQ(path_at(0x1000, 90), "/a");
  EXPECT_EQ(path_at(0x1000, 1000), "/a");
}

TEST_F(Map, ImpossibleRangesAreIgnored) {
  map.add(event(1, 0x1000, 0, "/a"));
  map.add(event(1, ~std::uint64_t{0} - 10, 100, "/a"));
  EXPECT_EQ(map.live_count(), 0U);
}

}  // namespace
}  // namespace prof::unwind
