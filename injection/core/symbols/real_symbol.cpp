#include "injection/core/symbols/real_symbol.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdint>

#include "injection/core/doors.hpp"
#include "injection/core/symbols/next_symbol.hpp"

// Weak: musl has no such function (startup/entry.cpp).
#pragma weak dlvsym

// The name and version of a symbol: offsets of the texts from the fields themselves. An empty
// version text means the default version, or the only one.
struct SymbolNames {
  std::int32_t name;
  std::int32_t version;
};

// Bounds of the two sections, from the linker. Their entries are in the same order, because each
// PROF_REAL_SLOT adds one to both.
extern "C" {
extern prof::core::RealSymbol __start_prof_symbols[] __attribute__((visibility("hidden")));
extern prof::core::RealSymbol __stop_prof_symbols[] __attribute__((visibility("hidden")));
extern const SymbolNames __start_prof_symbol_names[] __attribute__((visibility("hidden")));
}

namespace prof::core {

namespace {

const char* text_at(const std::int32_t& distance) {
  return reinterpret_cast<const char*>(&distance) + distance;
}

const SymbolNames& names_of(const RealSymbol& symbol) {
  return __start_prof_symbol_names[&symbol - __start_prof_symbols];
}

}  // namespace

void* RealSymbol::resolve() {
  // A look-up by the loader costs a process some 20 us. Before glibc 2.36 dlsym(RTLD_NEXT) could
  // return the oldest version of a symbol.
  const SymbolNames& names = names_of(*this);
  const char* name = text_at(names.name);
  const char* version = text_at(names.version);
  if (*version == '\0') version = nullptr;
  void* found = find_next(name, version);
  if (found == nullptr && version != nullptr && &dlvsym != nullptr)
    found = dlvsym(RTLD_NEXT, name, version);
  if (found == nullptr) found = dlsym(RTLD_NEXT, name);
  address.store(found, std::memory_order_relaxed);
  load_once(environ);
  return found;
}

void prepare_real_symbols() {
  if (note_next_objects()) return;
  for (RealSymbol* symbol = __start_prof_symbols; symbol != __stop_prof_symbols; ++symbol)
    symbol->get();
}

}  // namespace prof::core
