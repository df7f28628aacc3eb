#include "injection/core/real_symbol.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include "injection/core/entry.hpp"
#include "injection/core/next_symbol.hpp"

// Not in musl (entry.cpp).
#pragma weak dlvsym

// Bounds of the section, provided by the linker.
extern "C" {
extern prof::core::RealSymbol __start_prof_symbols[] __attribute__((visibility("hidden")));
extern prof::core::RealSymbol __stop_prof_symbols[] __attribute__((visibility("hidden")));
}

namespace prof::core {

void* RealSymbol::resolve() {
  // Before glibc 2.36 dlsym(RTLD_NEXT) could return the oldest version of a symbol, which for the
  // condition variables corrupts their state: those name the version (pitfall 4.3). find_next()
  // finds the default one, which is the same; the loader's ways cost every process some 20 us.
  void* found = find_next(name);
  if (found == nullptr && version != nullptr && &dlvsym != nullptr)
    found = dlvsym(RTLD_NEXT, name, version);
  if (found == nullptr) found = dlsym(RTLD_NEXT, name);
  address.store(found, std::memory_order_relaxed);
  load_once(environ);
  return found;
}

void prepare_real_symbols() {
  const bool lazily = note_next_objects();
  for (RealSymbol* symbol = __start_prof_symbols; symbol != __stop_prof_symbols; ++symbol)
    if (!lazily || symbol->version != nullptr) symbol->get();
}

}  // namespace prof::core
