#include "collector/ingest/chains/jit_names.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace prof::ingest {
namespace {

using Notes = std::vector<nlohmann::json>;
using nlohmann::json;

json code(pid_t pid, json codes) {
  return {{"type", "jit_code"}, {"pid", pid}, {"code", std::move(codes)}};
}
json process(pid_t pid, pid_t parent, int time) {
  return {{"type", "jit_process"}, {"pid", pid}, {"parent", parent}, {"time", time}};
}

std::string name(const JitNames& names, pid_t pid, std::uint64_t address, std::uint64_t time) {
  const std::uint32_t found = names.find(pid, address, time);
  return found == 0 ? "" : names.name(found);
}

TEST(JitNames, GoByProcessAddressAndTimeWhateverTheOrderOfTheNotes) {
  const JitNames names(Notes{code(1, json::array({{20, 100, 10, "new"}, {10, 100, 10, "old"}})),
                             code(2, json::array({{5, 100, 10, "other"}}))});
  EXPECT_EQ(name(names, 1, 105, 12), "old");
  EXPECT_EQ(name(names, 1, 105, 20), "new");
  EXPECT_EQ(name(names, 2, 105, 20), "other");
  EXPECT_EQ(name(names, 3, 105, 20), "");
}

TEST(JitNames, CodeThatIsMovedKeepsItsName) {
  const JitNames names(Notes{code(1, json::array({{10, 100, 10, "f"}, {20, 500, 10, 100}}))});
  EXPECT_EQ(name(names, 1, 105, 12), "f");
  EXPECT_EQ(name(names, 1, 105, 22), "");
  EXPECT_EQ(name(names, 1, 505, 22), "f");
}

TEST(JitNames, AChildHasItsParentsCodeAndAnExecEndsIt) {
  const JitNames names(Notes{code(1, json::array({{10, 100, 10, "f"}, {30, 100, 10, "g"}})),
                             process(2, 1, 20), process(2, 0, 40)});
  EXPECT_EQ(name(names, 2, 105, 35), "f");
  EXPECT_EQ(name(names, 1, 105, 35), "g");
  EXPECT_EQ(name(names, 2, 105, 45), "");
}

TEST(JitNames, DamagedNotesAreLeftOut) {
  const JitNames names(Notes{code(1, 5),
                             code(1, json::array({1, json::array({1, 2}), {1, 2, 0, "x"}})),
                             code(1, json::array({{1, 2, 3, json::object()}, {1, "a", 3, "x"}})),
                             {{"type", "jit_code"}}});
  EXPECT_TRUE(names.is_empty());
}

}  // namespace
}  // namespace prof::ingest
