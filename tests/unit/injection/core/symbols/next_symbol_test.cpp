#include "injection/core/symbols/next_symbol.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

namespace prof::core {
namespace {

TEST(NextSymbols, AreTheOnesThatTheLoaderFinds) {
  ASSERT_TRUE(note_next_objects());
  constexpr const char* kNames[] = {
#define OSRT(name, ret, params, args, category, flags, version) #name,
#define OSRT_ALIAS(symbol, name, ret, params, args, flags) #symbol,
#include "injection/osrt/functions.def"
  };
  for (const char* name : kNames) {
    // Only dlvsym finds a name without a default version.
    EXPECT_EQ(find_next(name), dlsym(RTLD_NEXT, name)) << name;
  }
}

TEST(NextSymbols, NeedADefaultVersionAndBeFunctions) {
  ASSERT_TRUE(note_next_objects());
  EXPECT_EQ(find_next("no_such_function_anywhere"), nullptr);
  EXPECT_EQ(find_next("pthread_yield"), nullptr);  // has only an old version
  EXPECT_EQ(find_next("environ"), nullptr);
  // An ifunc, which is resolved when it is bound. No sanitizer interposes this one.
  EXPECT_EQ(find_next("rawmemchr"), nullptr);
}

}  // namespace
}  // namespace prof::core
