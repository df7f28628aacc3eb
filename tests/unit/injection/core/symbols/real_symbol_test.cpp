#include "injection/core/symbols/real_symbol.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <thread>

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

// Two threads may call a function for the first time at the same moment.
TEST(RealSymbol, IsTheFunctionWhileAnotherThreadLooksItUp) {
  int known;
  std::atomic<bool> works = false;
  std::atomic<bool> over = false;
  std::thread other([&] {
    while (!over) {
      works = true;
      g_real_getpid.word = 0;
      g_real_getpid.word = reinterpret_cast<std::intptr_t>(&known);
    }
  });
  while (!works) std::this_thread::yield();
  int wrong = 0;
  for (int i = 0; i < 2'000'000; ++i)
    if (reinterpret_cast<std::intptr_t>(g_real_getpid.get()) <= 0) ++wrong;
  over = true;
  other.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace prof::core
