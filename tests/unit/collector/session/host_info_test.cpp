#include "collector/session/host_info.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/unit/temporary_directory.hpp"

namespace prof::session {
namespace {

TEST(GpuLocations, AreTheEntriesOfTheFolderInOrder) {
  const test::TemporaryDirectory directory;
  for (const char* location : {"0000:a1:00.0", "0000:06:00.0", "0000:1f:00.0"})
    std::filesystem::create_directory(directory.file(location));
  EXPECT_EQ(gpu_locations(directory.file("")),
            (std::vector<std::string>{"0000:06:00.0", "0000:1f:00.0", "0000:a1:00.0"}));
}

TEST(GpuLocations, AreNoneWithoutTheDriver) {
  EXPECT_TRUE(gpu_locations("/no/such/folder").empty());
}

}  // namespace
}  // namespace prof::session
