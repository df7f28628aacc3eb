#include "injection/core/symbols/real_symbol.hpp"

#include <gtest/gtest.h>

// The only slot of this program. The code that looks slots up needs one to be linked.
PROF_REAL_SLOT(getpid, nullptr)

namespace prof::core {
namespace {

TEST(RealSymbol, IsLookedUpOnlyWhileItIsUnknown) {
  int known;
  g_real_getpid.word = reinterpret_cast<std::intptr_t>(&known);
  EXPECT_EQ(g_real_getpid.get(), &known);
  EXPECT_TRUE(g_real_getpid.is_wrapped());
}

TEST(RealSymbol, SaysThatAFunctionIsLeftAlone) {
  int known;
  g_real_getpid.word = reinterpret_cast<std::intptr_t>(&known) + kLeftAlone;
  EXPECT_EQ(g_real_getpid.get(), &known);
  EXPECT_FALSE(g_real_getpid.is_wrapped());
}

}  // namespace
}  // namespace prof::core
