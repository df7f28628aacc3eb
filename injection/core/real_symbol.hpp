// The functions behind our wrappers.
#pragma once

#include <atomic>

namespace prof::core {

// One interposed symbol, looked up by its first call without a lock (next_symbol.hpp). Those that
// need the loader's help are looked up by the constructor, for which all objects live in the linker
// section "prof_symbols"; a wrapper that runs before it (another library's constructor does I/O)
// asks the loader on the way. Costs one relaxed load afterwards. Size and alignment are equal, or
// the compiler may pad between objects and the section is no array.
struct alignas(32) RealSymbol {
  const char* name;
  const char* version;  // symbol version to prefer, or null for the default one
  std::atomic<void*> address;

  void* get() {
    void* known = address.load(std::memory_order_relaxed);
    return known != nullptr ? known : resolve();
  }
  [[gnu::cold, gnu::noinline]] void* resolve();
};

static_assert(sizeof(RealSymbol) == alignof(RealSymbol));

// Placed on the definition of a RealSymbol. `used` keeps the linker from dropping it.
#define PROF_REAL_SYMBOL_SECTION __attribute__((section("prof_symbols"), used))

// Looks up every RealSymbol that cannot wait; from the constructor, before the program's threads
// exist.
void prepare_real_symbols();

}  // namespace prof::core
