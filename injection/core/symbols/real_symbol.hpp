// The real functions that our wrappers replace.
#pragma once

#include <atomic>

namespace prof::core {

// One interposed symbol. Its first call looks it up, normally without a lock (next_symbol.hpp). If
// that does not work in this process, the constructor looks up all symbols by dlsym; a wrapper that
// runs before the constructor (another library's constructor calls it) looks up its own. Later
// calls cost one relaxed load.
struct RealSymbol {
  std::atomic<void*> address;

  void* get() {
    void* known = address.load(std::memory_order_relaxed);
    return known != nullptr ? known : resolve();
  }
  [[gnu::cold, gnu::noinline]] void* resolve();
};

static_assert(sizeof(RealSymbol) == sizeof(void*));

// Defines g_real_<slot>. The addresses lie together in zero-initialised memory. The names lie in
// read-only memory and are found by relative offsets, so the loader has nothing to relocate, and a
// process does not copy pages for functions that it never calls. Assembler, because C++ has no
// constants for such offsets. `version` is the symbol's, or nullptr for the default one.
#define PROF_REAL_SLOT(symbol, version) PROF_REAL_SLOT_OF(symbol, symbol, version)
#define PROF_REAL_SLOT_OF(slot, symbol, version)                        \
  asm(".pushsection .rodata.str1.1, \"aMS\", @progbits, 1\n"            \
      "1: .asciz \"" #symbol                                            \
      "\"\n"                                                            \
      ".ifc nullptr, " #version                                         \
      "\n"                                                              \
      "2: .asciz \"\"\n"                                                \
      ".else\n"                                                         \
      "2: .asciz " #version                                             \
      "\n"                                                              \
      ".endif\n"                                                        \
      ".popsection\n"                                                   \
      ".pushsection prof_symbol_names, \"a\", @progbits\n"              \
      ".balign 4\n"                                                     \
      ".long 1b - .\n"                                                  \
      ".long 2b - .\n"                                                  \
      ".popsection\n"                                                   \
      ".pushsection prof_symbols, \"aw\", @nobits\n"                    \
      ".balign 8\n"                                                     \
      "prof_real_" #slot                                                \
      ": .zero 8\n"                                                     \
      ".popsection\n");                                                 \
  extern "C" {                                                          \
  extern ::prof::core::RealSymbol g_real_##slot asm("prof_real_" #slot) \
      __attribute__((visibility("hidden")));                            \
  }

// Looks up every RealSymbol if look-ups without a lock do not work. Called by the constructor,
// before the program has threads.
void prepare_real_symbols();

// Looks up what fork children of this session had to look up. To be called before a fork: what the
// parent has looked up its children have, and a child would pay for it with ten page faults.
void look_up_for_children();

}  // namespace prof::core
