#include "injection/core/symbols/next_symbol.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

namespace prof::core {
namespace {

TEST(NextSymbols, AreThoseThatTheLoaderFinds) {
  ASSERT_TRUE(note_next_objects());
  constexpr const char* kNames[] = {
#define OSRT(name, ret, params, args, category, flags, version) #name,
#define OSRT_ALIAS(symbol, name, ret, params, args, flags) #symbol,
#include "injection/osrt/functions.def"
  };
  for (const char* name : kNames) {
    // A name without default version is for dlvsym.
    EXPECT_EQ(find_next(name), dlsym(RTLD_NEXT, name)) << name;
  }
}

TEST(NextSymbols, NeedADefaultVersionAndBeFunctions) {
  ASSERT_TRUE(note_next_objects());
  EXPECT_EQ(find_next("no_such_function_anywhere"), nullptr);
  EXPECT_EQ(find_next("pthread_yield"), nullptr);  // has only an old version
  EXPECT_EQ(find_next("environ"), nullptr);
  // Chosen by the processor when it is bound. One that no sanitizer puts a plain one in front of.
  EXPECT_EQ(find_next("rawmemchr"), nullptr);
}

}  // namespace
}  // namespace prof::core
