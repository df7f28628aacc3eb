// The shape of every interposed function.
//
// A wrapper is defined under a name of its own and given the libc symbol as its assembler name, so
// that it cannot clash with the header's declaration (noexcept, variadic, nonnull). It is not
// noexcept and catches nothing: pthread_cancel unwinds through it. Names that end in an underscore
// keep clear of the parameters.
#pragma once

#include "injection/core/record/call.hpp"
#include "injection/core/symbols/real_symbol.hpp"

#define PROF_EXPORT extern "C" __attribute__((visibility("default")))

// What is behind a wrapper, which has a PROF_REAL_SLOT.
#define PROF_REAL(name, ret, params) (reinterpret_cast<ret(*) params>(g_real_##name.get()))

#define PROF_WRAPPER(name, ret, params)          \
  PROF_EXPORT ret wrap_##name params asm(#name); \
  ret wrap_##name params

// Forwards, and records the call as `function`.
#define PROF_RECORDING_WRAPPER(name, ret, params, args, version, function) \
  PROF_REAL_SLOT(name, version)                                            \
  PROF_WRAPPER(name, ret, params) {                                        \
    const auto real_ = PROF_REAL(name, ret, params);                       \
    return ::prof::core::recorded(function, [&] { return real_ args; });   \
  }
