// Macros that define interposed functions.
//
// A wrapper has its own C++ name and the libc symbol as its assembler name, so it cannot conflict
// with the declaration in libc's header (noexcept, variadic, nonnull). It is not noexcept and
// catches nothing, because pthread_cancel unwinds through it. Names in macros that end in an
// underscore do not conflict with parameters.
#pragma once

#include "injection/core/record/call.hpp"
#include "injection/core/symbols/real_symbol.hpp"

#define PROF_EXPORT extern "C" __attribute__((visibility("default")))

// The real function of a wrapper that has a PROF_REAL_SLOT.
#define PROF_REAL(name, ret, params) (reinterpret_cast<ret(*) params>(g_real_##name.get()))

// Calls the real function at once while nobody collects: without saving a register, and so before
// the function may have to be looked up. Wrappers that begin with this use awake().
#define PROF_LEAVE_IF_DORMANT(slot, ret, params, args) \
  PROF_LEAVE_IF(::prof::core::is_dormant(), slot, ret, params, args)
// The same also for calls that are left out (--max-overhead).
#define PROF_LEAVE(slot, ret, params, args, function) \
  PROF_LEAVE_IF(::prof::core::leaves_at_once(function), slot, ret, params, args)
#define PROF_LEAVE_IF(condition, slot, ret, params, args)                           \
  if (condition)                                                                    \
    if (void* const known_ = g_real_##slot.address.load(std::memory_order_relaxed)) \
  return (reinterpret_cast<ret(*) params>(known_))args

#define PROF_WRAPPER(name, ret, params)          \
  PROF_EXPORT ret wrap_##name params asm(#name); \
  ret wrap_##name params

// glibc keeps the old code of some functions for programs that were linked when it was new. Such a
// function has one wrapper for each version (docs/decisions/0021). PROF_WRAPPER defines that of the
// default version, which versions_*.map names. This macro defines that of an old one, with its
// slot. `id` is the name of both.
#define PROF_VERSION_WRAPPER(id, name, version, ret, params) \
  PROF_REAL_SLOT_OF(id, name, version)                       \
  asm(".symver " #id ", " #name "@" version ", remove");     \
  PROF_WRAPPER(id, ret, params)

// Define wrappers that forward the call and record it as one of `function`.
#define PROF_RECORDING_WRAPPER(name, ret, params, args, version, function) \
  PROF_REAL_SLOT(name, version)                                            \
  PROF_WRAPPER(name, ret, params) { PROF_RECORD(name, ret, params, args, function); }
#define PROF_RECORDING_VERSION(id, name, ret, params, args, version, function) \
  PROF_VERSION_WRAPPER(id, name, version, ret, params) {                       \
    PROF_RECORD(id, ret, params, args, function);                              \
  }
#define PROF_RECORD(slot, ret, params, args, function) \
  PROF_LEAVE(slot, ret, params, args, function);       \
  const auto real_ = PROF_REAL(slot, ret, params);     \
  return ::prof::core::recorded_awake(function, [&] { return real_ args; })
