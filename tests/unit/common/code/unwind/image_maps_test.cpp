#include "common/code/unwind/image_maps.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <chrono>
#include <thread>
#include <utility>
#include <vector>

#include "common/base/raw_time.hpp"

namespace prof::unwind {
namespace {

constexpr std::uint32_t kSerial = 16;
constexpr pid_t kNobody = 0x3fffffff;

std::uint64_t own_code() { return reinterpret_cast<std::uint64_t>(&own_code); }

class ImageMapsTest : public testing::Test {
 protected:
  const Mapping* at(std::uint32_t serial, std::uint64_t address, std::uint64_t time = 0) {
    const ModuleMap* map = images_.find(serial);
    return map == nullptr ? nullptr : map->find(address, time);
  }

  Modules modules_;
  ImageMaps images_{modules_};
};

TEST_F(ImageMapsTest, ShowsWhatAnImageMappedWhenItJoined) {
  EXPECT_EQ(images_.find(kSerial), nullptr);
  images_.join(kSerial, getpid(), 0, base::raw_time());
  const Mapping* own = at(kSerial, own_code());
  ASSERT_NE(own, nullptr);
  ASSERT_TRUE(own->module);
  EXPECT_TRUE(own->module->path().ends_with("unit_unwind"));
  images_.forget(kSerial);
  EXPECT_EQ(images_.find(kSerial), nullptr);
}

TEST_F(ImageMapsTest, SeesLaterMappingsWhenItIsRefreshedButNotTooOften) {
  // A moment before the first reading is too early for the next one, however slow the machine is.
  const auto soon = ImageMaps::Clock::now();
  images_.join(kSerial, getpid(), 0, base::raw_time());
  void* code = mmap(nullptr, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const auto address = reinterpret_cast<std::uint64_t>(code);
  EXPECT_EQ(at(kSerial, address), nullptr);
  EXPECT_FALSE(images_.refresh(kSerial, soon));
  int early = 0;
  while (images_.refresh_for_unknown(kSerial, soon) && early < 1000) ++early;
  EXPECT_GT(early, 10);
  EXPECT_LT(early, 1000);
  EXPECT_TRUE(images_.refresh(kSerial, ImageMaps::Clock::now() + std::chrono::hours(1)));
  EXPECT_NE(at(kSerial, address), nullptr);
  munmap(code, 4096);
}

TEST_F(ImageMapsTest, ReadsAgainWhenTheImageHasBecomeTwiceAsOld) {
  images_.join(kSerial, getpid(), 0, base::raw_time());
  void* code = mmap(nullptr, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const auto address = reinterpret_cast<std::uint64_t>(code);
  images_.keep_up(kSerial, ImageMaps::Clock::now() + std::chrono::hours(1));
  EXPECT_NE(at(kSerial, address), nullptr);
  munmap(code, 4096);
}

TEST_F(ImageMapsTest, KeepsTheLastMapOfAnImageThatEnded) {
  images_.join(kSerial, getpid(), 0, base::raw_time());
  images_.end(kSerial);
  EXPECT_NE(at(kSerial, own_code()), nullptr);
  EXPECT_FALSE(images_.refresh(kSerial, ImageMaps::Clock::now() + std::chrono::hours(1)));
}

TEST_F(ImageMapsTest, ChildThatIsGoneHasItsParentsMap) {
  images_.join(kSerial, getpid(), 0, base::raw_time());
  images_.join(kSerial + 1, kNobody, kSerial, base::raw_time());
  EXPECT_NE(at(kSerial + 1, own_code()), nullptr);
  images_.join(kSerial + 2, kNobody, 0, base::raw_time());
  EXPECT_EQ(at(kSerial + 2, own_code()), nullptr);
}

void* map_code(const char* file, void* where);

TEST_F(ImageMapsTest, ChildThatIsGoneHasWhatItsParentMappedLast) {
  images_.join(kSerial, getpid(), 0, base::raw_time());
  void* code = map_code("/proc/self/exe", nullptr);
  const Mapping* found = nullptr;
  // When a reading may be repeated depends on how long it took.
  auto wait = std::chrono::milliseconds(20);
  for (std::uint32_t child = kSerial + 1; found == nullptr && child < kSerial + 9; ++child) {
    std::this_thread::sleep_for(wait);
    images_.join(child, kNobody, kSerial, base::raw_time());
    found = at(child, reinterpret_cast<std::uint64_t>(code));
    wait *= 2;
  }
  EXPECT_NE(found, nullptr);
  munmap(code, 4096);
}

void* map_code(const char* file, void* where) {
  const int descriptor = open(file, O_RDONLY);
  void* code = mmap(where, 4096, PROT_READ | PROT_EXEC,
                    MAP_PRIVATE | (where != nullptr ? MAP_FIXED : 0), descriptor, 0);
  close(descriptor);
  return code;
}

TEST_F(ImageMapsTest, WhatTookTheirPlaceCountsFromWhenLibrariesWereUnloaded) {
  constexpr std::uint64_t kUnloaded = 1000;
  void* code = map_code("/proc/self/exe", nullptr);
  const auto address = reinterpret_cast<std::uint64_t>(code);
  std::vector<ImageMaps::Unloaded> unloaded;
  images_.join(kSerial, getpid(), 0, base::raw_time(), [&] { return std::exchange(unloaded, {}); });
  ASSERT_NE(at(kSerial, address), nullptr);
  map_code("/bin/sh", code);
  unloaded.push_back({kUnloaded, address, address + 4096});
  ASSERT_TRUE(images_.refresh(kSerial, ImageMaps::Clock::now() + std::chrono::hours(1)));
  const Mapping* before = at(kSerial, address, kUnloaded - 1);
  ASSERT_NE(before, nullptr);
  EXPECT_TRUE(before->module->path().ends_with("unit_unwind"));
  const Mapping* after = at(kSerial, address, kUnloaded);
  ASSERT_NE(after, nullptr);
  EXPECT_FALSE(after->module->path().ends_with("unit_unwind"));
  // It is known now and does not change.
  ASSERT_TRUE(images_.refresh(kSerial, ImageMaps::Clock::now() + std::chrono::hours(2)));
  EXPECT_NE(at(kSerial, address, kUnloaded - 1), nullptr);
  munmap(code, 4096);
}

TEST_F(ImageMapsTest, WhatAChildMapsWhereItsParentUnloadedIsTheChilds) {
  void* code = map_code("/proc/self/exe", nullptr);
  const auto address = reinterpret_cast<std::uint64_t>(code);
  std::vector<ImageMaps::Unloaded> unloaded;
  images_.join(kSerial, getpid(), 0, base::raw_time(), [&] { return std::exchange(unloaded, {}); });
  ASSERT_NE(at(kSerial, address), nullptr);
  // The parent's last unloading has not been asked for when the child joins.
  unloaded.push_back({base::raw_time(), address, address + 4096});
  map_code("/bin/sh", code);
  const std::uint64_t forked = base::raw_time();
  images_.join(kSerial + 1, getpid(), kSerial, forked);
  const Mapping* found = at(kSerial + 1, address, base::raw_time());
  ASSERT_NE(found, nullptr);
  EXPECT_FALSE(found->module->path().ends_with("unit_unwind"));
  munmap(code, 4096);
}

TEST_F(ImageMapsTest, WhatIsMappedInPlaceOfOtherCodeIsNewerThanTheLastReading) {
  void* code = map_code("/proc/self/exe", nullptr);
  const auto address = reinterpret_cast<std::uint64_t>(code);
  images_.join(kSerial, getpid(), 0, base::raw_time());
  ASSERT_NE(at(kSerial, address), nullptr);
  const std::uint64_t seen = base::raw_time();
  map_code("/bin/sh", code);  // nobody reports that the other was unloaded
  ASSERT_TRUE(images_.refresh(kSerial, ImageMaps::Clock::now() + std::chrono::hours(1)));
  EXPECT_FALSE(at(kSerial, address, seen)->module->path().ends_with("unit_unwind"));
  EXPECT_TRUE(at(kSerial, address, 1)->module->path().ends_with("unit_unwind"));
  munmap(code, 4096);
}

}  // namespace
}  // namespace prof::unwind
