#include "common/code/unwind/address_spaces.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

namespace prof::unwind {
namespace {

// Pids of no existing process.
constexpr pid_t kParent = 1 << 29, kChild = kParent + 1;

class AddressSpacesTest : public ::testing::Test {
 protected:
  void map(pid_t pid, std::uint64_t time, const char* path) {
    MapEvent event;
    event.time = time;
    event.start = 0x1000;
    event.length = 0x1000;
    event.path = path;
    spaces_.map(pid, event);
  }
  std::string at(pid_t pid, std::uint64_t time) {
    const Mapping* mapping = spaces_.find(pid).find(0x1800, time);
    return mapping == nullptr ? "nothing" : mapping->module->path();
  }
  AddressSpaces spaces_;
};

TEST_F(AddressSpacesTest, AChildBeginsWithItsParentsAndGoesItsOwnWay) {
  map(kParent, 10, "/a");
  spaces_.fork(kParent, kChild, 20);
  map(kChild, 30, "/b");
  EXPECT_EQ(at(kParent, 40), "/a");
  EXPECT_EQ(at(kChild, 25), "/a");
  EXPECT_EQ(at(kChild, 40), "/b");
}

TEST_F(AddressSpacesTest, ExecEndsWhatWasMapped) {
  map(kParent, 10, "/a");
  spaces_.exec(kParent, 20);
  EXPECT_EQ(at(kParent, 15), "/a");
  EXPECT_EQ(at(kParent, 25), "nothing");
  map(kParent, 21, "/b");
  EXPECT_EQ(at(kParent, 25), "/b");
}

TEST_F(AddressSpacesTest, AnEndedProcessIsKnownForAsLongAsItIsAskedFor) {
  map(kParent, 10, "/a");
  spaces_.end(kParent, 20);
  spaces_.forget_before(20);
  EXPECT_EQ(at(kParent, 15), "/a");
  spaces_.forget_before(21);
  EXPECT_EQ(at(kParent, 15), "nothing");
}

TEST_F(AddressSpacesTest, APidIsUsedAgain) {
  map(kParent, 10, "/a");
  spaces_.end(kChild, 20);
  spaces_.fork(kParent, kChild, 30);
  spaces_.forget_before(40);
  EXPECT_EQ(at(kChild, 50), "/a");
}

TEST_F(AddressSpacesTest, ProcessesThatNobodyToldOfAreLookedAt) {
  const auto code = reinterpret_cast<std::uint64_t>(&getpid);
  const Mapping* mapping = spaces_.find(getpid()).find(code, 1);
  ASSERT_NE(mapping, nullptr);
  EXPECT_NE(mapping->module->path().find("libc"), std::string::npos);
}

}  // namespace
}  // namespace prof::unwind
