#include "injection/core/symbols/real_symbol.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdint>

#include "injection/core/doors.hpp"
#include "injection/core/symbols/next_symbol.hpp"

// Not in musl (entry.cpp).
#pragma weak dlvsym

// What a slot is called: where its texts begin, counted from each field. Empty: no version.
struct SymbolNames {
  std::int32_t name;
  std::int32_t version;
};

// Bounds of the sections, provided by the linker. Both are in the same order: each definition adds
// to both.
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
  // Before glibc 2.36 dlsym(RTLD_NEXT) could return the oldest version of a symbol, which for the
  // condition variables corrupts their state: those name the version (pitfall 4.3). find_next()
  // finds the default one, which is the same; the loader's ways cost every process some 20 us.
  const SymbolNames& names = names_of(*this);
  const char* name = text_at(names.name);
  const char* version = text_at(names.version);
  void* found = find_next(name);
  if (found == nullptr && *version != '\0' && &dlvsym != nullptr)
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
