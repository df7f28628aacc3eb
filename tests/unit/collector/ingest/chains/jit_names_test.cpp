#include "collector/ingest/chains/jit_names.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace prof::ingest {
namespace {

using spool::JitCode;
using spool::JitCodeNote;
using spool::JitProcessNote;

template <class... T>
JitNames names_of(const T&... written) {
  spool::Notes notes;
  (notes.add(written), ...);
  return JitNames(notes);
}
JitCode loaded(std::uint64_t time, std::uint64_t address, const char* name) {
  return {time, address, 10, name, {}};
}

std::string name(const JitNames& names, pid_t pid, std::uint64_t address, std::uint64_t time) {
  const std::uint32_t found = names.find(pid, address, time);
  return found == 0 ? "" : names.name(found);
}

TEST(JitNames, GoByProcessAddressAndTimeWhateverTheOrderOfTheNotes) {
  const JitNames names = names_of(JitCodeNote{1, {loaded(20, 100, "new"), loaded(10, 100, "old")}},
                                  JitCodeNote{2, {loaded(5, 100, "other")}});
  EXPECT_EQ(name(names, 1, 105, 12), "old");
  EXPECT_EQ(name(names, 1, 105, 20), "new");
  EXPECT_EQ(name(names, 2, 105, 20), "other");
  EXPECT_EQ(name(names, 3, 105, 20), "");
}

TEST(JitNames, CodeThatIsMovedKeepsItsName) {
  const JitNames names =
      names_of(JitCodeNote{1, {loaded(10, 100, "f"), JitCode{20, 500, 10, "", 100}}});
  EXPECT_EQ(name(names, 1, 105, 12), "f");
  EXPECT_EQ(name(names, 1, 105, 22), "");
  EXPECT_EQ(name(names, 1, 505, 22), "f");
}

TEST(JitNames, AChildHasItsParentsCodeAndAnExecEndsIt) {
  const JitNames names = names_of(JitCodeNote{1, {loaded(10, 100, "f"), loaded(30, 100, "g")}},
                                  JitProcessNote{2, 1, 20}, JitProcessNote{2, 0, 40});
  EXPECT_EQ(name(names, 2, 105, 35), "f");
  EXPECT_EQ(name(names, 1, 105, 35), "g");
  EXPECT_EQ(name(names, 2, 105, 45), "");
}

TEST(JitNames, CodeOfImpossibleSizeIsLeftOut) {
  const JitNames names = names_of(
      JitCodeNote{1, {JitCode{1, 2, 0, "x", {}}, JitCode{1, ~std::uint64_t{0}, 10, "x", {}}}});
  EXPECT_TRUE(names.is_empty());
}

}  // namespace
}  // namespace prof::ingest
