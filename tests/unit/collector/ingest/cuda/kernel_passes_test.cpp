#include "collector/ingest/cuda/kernel_passes.hpp"

#include <gtest/gtest.h>

namespace prof::ingest {
namespace {

using Profiles = std::vector<std::vector<std::size_t>>;

struct Given {
  std::uint32_t serial;
  std::uint32_t rotation;
  std::uint32_t pass;
};

Profiles joined(const std::vector<Given>& given) {
  std::vector<wire::KernelProfileRecord> records(given.size());
  std::vector<PassOfLaunch> launches;
  for (std::size_t i = 0; i < given.size(); ++i) {
    records[i].rotation = given[i].rotation;
    records[i].pass = given[i].pass;
    launches.push_back({given[i].serial, &records[i]});
  }
  return join_passes(launches);
}

TEST(KernelPassesTest, PassesOfAProfileAreTogetherInTheirOrder) {
  EXPECT_EQ(joined({{1, 1, 0}, {1, 2, 0}, {1, 1, 1}, {1, 0, 0}, {1, 1, 2}, {1, 2, 1}}),
            (Profiles{{0, 2, 4}, {1, 5}, {3}}));
  EXPECT_EQ(joined({{1, 1, 2}, {1, 1, 0}}), (Profiles{{1, 0}}));
}

TEST(KernelPassesTest, ProcessesHaveProfilesOfTheirOwn) {
  EXPECT_EQ(joined({{1, 1, 0}, {2, 1, 0}, {1, 1, 1}}), (Profiles{{0, 2}, {1}}));
}

TEST(KernelPassesTest, APassThatIsMadeAgainReplacesTheFormerOne) {
  EXPECT_EQ(joined({{1, 1, 0}, {1, 1, 1}, {1, 1, 1}, {1, 1, 2}}), (Profiles{{0, 2, 3}}));
}

}  // namespace
}  // namespace prof::ingest
