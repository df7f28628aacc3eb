// The functions behind our wrappers.
#pragma once

#include <atomic>

namespace prof::core {

// One interposed symbol, looked up by its first call, as a rule without a lock (next_symbol.hpp).
// Where that takes the loader, all are looked up by the constructor; a wrapper that runs before it
// (another library's constructor does I/O) asks the loader on the way. Costs one relaxed load
// afterwards.
struct RealSymbol {
  std::atomic<void*> address;

  void* get() {
    void* known = address.load(std::memory_order_relaxed);
    return known != nullptr ? known : resolve();
  }
  [[gnu::cold, gnu::noinline]] void* resolve();
};

static_assert(sizeof(RealSymbol) == sizeof(void*));

// Defines g_real_<symbol>. Their addresses lie together in memory that begins as zeros, and what
// they are called in one that is never written, by distances: so no process has pages to relocate
// and to copy for functions that it does not call. C++ has no constants that are distances.
// `version`: of the symbol, or nullptr for the default one.
#define PROF_REAL_SLOT(symbol, version)                                     \
  asm(".pushsection .rodata.str1.1, \"aMS\", @progbits, 1\n"                \
      "1: .asciz \"" #symbol                                                \
      "\"\n"                                                                \
      ".ifc nullptr, " #version                                             \
      "\n"                                                                  \
      "2: .asciz \"\"\n"                                                    \
      ".else\n"                                                             \
      "2: .asciz " #version                                                 \
      "\n"                                                                  \
      ".endif\n"                                                            \
      ".popsection\n"                                                       \
      ".pushsection prof_symbol_names, \"a\", @progbits\n"                  \
      ".balign 4\n"                                                         \
      ".long 1b - .\n"                                                      \
      ".long 2b - .\n"                                                      \
      ".popsection\n"                                                       \
      ".pushsection prof_symbols, \"aw\", @nobits\n"                        \
      ".balign 8\n"                                                         \
      "prof_real_" #symbol                                                  \
      ": .zero 8\n"                                                         \
      ".popsection\n");                                                     \
  extern "C" {                                                              \
  extern ::prof::core::RealSymbol g_real_##symbol asm("prof_real_" #symbol) \
      __attribute__((visibility("hidden")));                                \
  }

// Looks up every RealSymbol, if they cannot wait; from the constructor, before the program's
// threads exist.
void prepare_real_symbols();

}  // namespace prof::core
