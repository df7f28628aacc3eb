// Macros that define interposed functions.
//
// A wrapper has a separate C++ name, and the libc symbol as its assembler name, so it cannot
// conflict with the declaration in libc's header (noexcept, variadic, nonnull). It is not noexcept
// and catches nothing, because pthread_cancel unwinds through it. Names in macros that end in an
// underscore do not conflict with parameters.
#pragma once

#include "injection/core/gate.hpp"
#include "injection/core/record/call.hpp"
#include "injection/core/symbols/real_symbol.hpp"

#define PROF_EXPORT extern "C" __attribute__((visibility("default")))

// The real function of a wrapper, for use inside of this wrapper.
#define PROF_REAL(name, ret, params) (reinterpret_cast<ret(*) params>(g_real_##name.known()))
// Another real function that has a slot.
#define PROF_FOUND(name, ret, params) (reinterpret_cast<ret(*) params>(g_real_##name.get()))

// Defines a wrapper. It needs a slot of the same name. The function itself is in assembler: it
// leaves another library's function of this name alone, and finds libc's.
#define PROF_WRAPPER(name, ret, params)                                                            \
  PROF_ENTRY(name)                                                                                 \
  extern "C" ret wrap_##name params asm("prof_wrap_" #name) __attribute__((visibility("hidden"))); \
  ret wrap_##name params

// Defines a wrapper whose rest runs only while its gate is open (gate.hpp). The body of the rest
// follows the macro. The wrapper needs a slot of the same name.
#define PROF_GATED_WRAPPER(name, ret, params) \
  PROF_WRAPPER_WITH_GATE(name, prof_call_gate, ret, params)
#define PROF_WRAPPER_WITH_GATE(name, gate, ret, params) \
  PROF_GATE(name, gate)                                 \
  PROF_AWAKE(name, ret, params)
#define PROF_AWAKE(name, ret, params)                         \
  extern "C" ret awake_##name params asm("prof_awake_" #name) \
      __attribute__((visibility("hidden")));                  \
  ret awake_##name params

// Like PROF_GATED_WRAPPER, for a `function` of osrt. Calls that are left out (--max-overhead) go
// directly to the real function. The rest must record all others.
#define PROF_THINNED_WRAPPER(name, ret, params, function) \
  PROF_COUNTING_GATE(name, prof_call_gate)                \
  PROF_COUNTDOWN_CONSTANTS(name, function)                \
  PROF_AWAKE(name, ret, params)

// Defines the slot of an old version of a function. glibc keeps the old code of some functions for
// programs that were linked when it was new. Such a function has one wrapper for each version
// (docs/decisions/0021). PROF_WRAPPER defines the wrapper of the default version, which
// versions_*.map names. This macro defines the wrapper of an old version, with its slot. `id` is
// the name of both.
#define PROF_VERSION_SLOT(id, name, version) \
  PROF_REAL_SLOT_OF(id, name, version)       \
  asm(".symver " #id ", " #name "@" version ", remove");
#define PROF_VERSION_WRAPPER(id, name, version, ret, params) \
  PROF_VERSION_SLOT(id, name, version)                       \
  PROF_WRAPPER(id, ret, params)

// These macros define wrappers that forward the call and record it as a call of `function`.
#define PROF_RECORDING_WRAPPER(name, ret, params, args, version, function) \
  PROF_REAL_SLOT(name, version)                                            \
  PROF_RECORDING(name, ret, params, args, function)
#define PROF_RECORDING_VERSION(id, name, ret, params, args, version, function) \
  PROF_VERSION_SLOT(id, name, version)                                         \
  PROF_RECORDING(id, ret, params, args, function)
#define PROF_RECORDING(slot, ret, params, args, function)                      \
  PROF_THINNED_WRAPPER(slot, ret, params, function) {                          \
    const auto real_ = PROF_REAL(slot, ret, params);                           \
    return ::prof::core::recorded_awake(function, [&] { return real_ args; }); \
  }
