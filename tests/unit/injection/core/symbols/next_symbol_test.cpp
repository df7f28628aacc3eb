#include "injection/core/symbols/next_symbol.hpp"

#include "injection/core/machine/machine.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

namespace prof::core {
namespace {

TEST(NextSymbols, AreTheOnesThatTheLoaderFinds) {
  ASSERT_TRUE(note_next_objects());
  constexpr const char* kNames[] = {
#define OSRT(name, ret, params, args, category, flags, version) #name,
#define OSRT_ALIAS(symbol, name, ret, params, args, flags) #symbol,
#define OSRT_VERSION(id, name, ret, params, args, flags, version)
#include "common/wire/functions/osrt.def"
#undef OSRT
#undef OSRT_ALIAS
#undef OSRT_VERSION
  };
  for (const char* name : kNames) {
    // Only dlvsym finds a name without a default version.
    EXPECT_EQ(find_next(name).address, dlsym(RTLD_NEXT, name)) << name;
  }
}

TEST(NextSymbols, HaveTheVersionThatTheLoaderFinds) {
  ASSERT_TRUE(note_next_objects());
  constexpr struct {
    const char* name;
    const char* version;
  } kFunctions[] = {
#define OSRT(name, ret, params, args, category, flags, version) {#name, version},
#define OSRT_ALIAS(symbol, name, ret, params, args, flags)
#define OSRT_VERSION(id, name, ret, params, args, flags, version) {#name, version},
#include "common/wire/functions/osrt.def"
  };
  void* libc = dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD);
  for (const auto& [name, version] : kFunctions) {
    void* const next = dlsym(RTLD_NEXT, name);
    // A sanitizer's function has no version, and so stands for all of them.
    const bool is_of_libc = next == nullptr || next == dlsym(libc, name);
    void* const expected =
        is_of_libc && version != nullptr ? dlvsym(RTLD_NEXT, name, version) : next;
    EXPECT_EQ(find_next(name, version).address, expected) << name;
  }
}

TEST(NextSymbols, HaveNoUnknownVersions) {
  ASSERT_TRUE(note_next_objects());
  EXPECT_EQ(find_next("getppid", "GLIBC_9.9").address, nullptr);
  EXPECT_EQ(find_next("getppid", PROF_FIRST_GLIBC).address, dlsym(RTLD_NEXT, "getppid"));
}

TEST(NextSymbols, NeedADefaultVersionAndBeFunctions) {
  ASSERT_TRUE(note_next_objects());
  EXPECT_EQ(find_next("no_such_function_anywhere").address, nullptr);
  EXPECT_EQ(find_next("pthread_yield").address, nullptr);  // has only an old version
  EXPECT_EQ(find_next("environ").address, nullptr);
  // An ifunc, which is resolved when it is bound. No sanitizer interposes this one.
#if defined(__x86_64__)
  EXPECT_EQ(find_next("rawmemchr").address, nullptr);
#else
  EXPECT_EQ(find_next("memcpy").address, nullptr);
#endif
}

TEST(DefinedSymbols, AreFoundInAllObjectsThatAreLoaded) {
  for (const char* name : {"getppid", "environ", "dlsym"})
    EXPECT_TRUE(may_be_defined(name)) << name;
  for (const char* name : {"no_such_function_anywhere", "_PyRuntime"})
    EXPECT_FALSE(may_be_defined(name)) << name;
  EXPECT_EQ(dlerror(), nullptr);
}

}  // namespace
}  // namespace prof::core
