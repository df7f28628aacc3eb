// The real functions that our wrappers replace.
#pragma once

#include <atomic>
#include <cstdint>

namespace prof::core {

// One interposed symbol. Its first call looks it up, normally without a lock (next_symbol.hpp). If
// that does not work in this process, the constructor looks up all symbols by dlsym; a wrapper that
// runs before the constructor, because another library's constructor calls it, looks up its own
// symbol. Later calls cost one relaxed load.
//
// The next definition of the name is not always libc's. A library that the program is linked to may
// have another function with this name and other parameters. Calls of that function are passed on
// unchanged and are not recorded. A library that is only preloaded (LD_PRELOAD) replaces libc's
// function, so it has the same parameters, and calls of it are recorded; but not if the wrapper
// would call other functions of libc instead.
struct RealSymbol {
  // The address. 0: not looked up yet. Negative (kLeftAlone is added): the address of a function
  // that is not wrapped.
  std::atomic<std::intptr_t> word;

  void* get() {
    const std::intptr_t value = word.load(std::memory_order_relaxed);
    return value > 0 ? reinterpret_cast<void*>(value) : resolve();
  }
  // Returns the function, for use inside of the wrapper. The wrapper only runs after the look-up,
  // and not if the function is left alone.
  void* known() const { return reinterpret_cast<void*>(word.load(std::memory_order_relaxed)); }
  bool is_wrapped() const { return word.load(std::memory_order_relaxed) > 0; }

 private:
  [[gnu::cold, gnu::noinline]] void* resolve();
};

inline constexpr std::intptr_t kLeftAlone = INTPTR_MIN;

// The use of a slot.
enum class SlotKind : std::int32_t {
  kPassesOn = 0,  // its wrapper calls the next function of the name
  kStandsIn = 1,  // its wrapper calls other functions of libc, so it replaces only libc's function
  kOfLibc = 2,    // libc's own function, for wrappers of other names
};

static_assert(sizeof(RealSymbol) == sizeof(void*));

// Defines g_real_<slot>. The addresses lie together in zero-initialised memory. The names lie in
// read-only memory and are found by relative offsets, so the loader has nothing to relocate, and a
// process does not copy pages for functions that it never calls. It is in assembler, because C++
// has no constants for such offsets. `version` is the symbol's version, or nullptr for the default
// one.
#define PROF_REAL_SLOT(symbol, version) PROF_REAL_SLOT_OF(symbol, symbol, version)
#define PROF_REAL_SLOT_OF(slot, symbol, version) PROF_SLOT_OF_KIND(slot, symbol, version, 0)
// These define slots of SlotKind::kStandsIn and kOfLibc.
#define PROF_STAND_IN_SLOT(symbol, version) PROF_SLOT_OF_KIND(symbol, symbol, version, 1)
#define PROF_LIBC_SLOT(slot, symbol) PROF_SLOT_OF_KIND(slot, symbol, nullptr, 2)
#define PROF_SLOT_OF_KIND(slot, symbol, version, kind)                  \
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
      ".long " #kind                                                    \
      "\n"                                                              \
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

// Looks up the functions that fork children of this session had to look up. Call it before a fork:
// children inherit the look-ups of their parent, and each look-up costs a child ten page faults.
void look_up_for_children();

}  // namespace prof::core
