#include "collector/session/launch/target_environment.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace prof::session {
namespace {

std::vector<std::string> sorted(std::vector<std::string> strings) {
  std::sort(strings.begin(), strings.end());
  return strings;
}

TEST(TargetEnvironment, AddsVariablesOfProfAndKeepsOthers) {
  char keep[] = "KEEP=me";
  char preload[] = "LD_PRELOAD=/a.so /prof.so";
  char* base[] = {keep, preload, nullptr};
  EXPECT_EQ(sorted(target_environment(base, {{"NEW", "x"}, {"KEEP", "changed"}}, "/s",
                                      {{"libasan.so.8"}, "/prof.so", {"/user_of_prof.so"}, {}},
                                      {.nvtx = true, .cuda = false})),
            (std::vector<std::string>{
                "KEEP=changed", "LD_PRELOAD=libasan.so.8:/prof.so:/user_of_prof.so:/a.so", "NEW=x",
                "NVTX_INJECTION64_PATH=/prof.so", "PROF_SESSION=/s"}));
}

TEST(TargetEnvironment, OfNothingHasOnlyVariablesOfProf) {
  EXPECT_EQ(sorted(target_environment(nullptr, {}, "/s", {{}, "/prof.so", {}, {}}, {false, false})),
            (std::vector<std::string>{"LD_PRELOAD=/prof.so", "PROF_SESSION=/s"}));
}

TEST(TargetEnvironment, NamesTheVulkanLayerAfterThoseOfTheProgram) {
  char layers[] = "VK_INSTANCE_LAYERS=validation";
  char* base[] = {layers, nullptr};
  EXPECT_EQ(sorted(target_environment(base, {}, "/s", {{}, "/prof.so", {}, "/layer"}, {})),
            (std::vector<std::string>{"LD_PRELOAD=/prof.so", "PROF_SESSION=/s",
                                      "VK_ADD_LAYER_PATH=/layer",
                                      "VK_INSTANCE_LAYERS=validation:VK_LAYER_PROF_trace"}));
}

}  // namespace
}  // namespace prof::session
