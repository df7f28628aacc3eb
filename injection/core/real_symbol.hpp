// The functions behind our wrappers.
#pragma once

#include <atomic>

namespace prof::core {

// One interposed symbol. All objects live in the linker section "prof_symbols", so that the
// constructor can resolve them together; a wrapper that runs before it (another library's
// constructor does I/O) resolves its own on the way. Costs one relaxed load afterwards. Size and
// alignment are equal, or the compiler may pad between objects and the section is no array.
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

// Looks up every RealSymbol; from the constructor, before the program's threads exist.
void resolve_real_symbols();

}  // namespace prof::core
