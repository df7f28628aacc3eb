#include "injection/core/symbols/real_symbol.hpp"

#include <gtest/gtest.h>

// The only slot of this program. The code that looks slots up needs one to be linked.
PROF_REAL_SLOT(getpid, nullptr)

namespace prof::core {
namespace {

TEST(RealSymbol, IsLookedUpOnlyWhileItIsUnknown) {
  int known;
  g_real_getpid.address = &known;
  EXPECT_EQ(g_real_getpid.get(), &known);
}

}  // namespace
}  // namespace prof::core
