// Wraps the call by which a coroutine switches the thread pointer. It is a tail call, so no code of
// prof runs after the switch. Only for x86-64: programs for aarch64 write the register themselves.
#include <asm/prctl.h>

#include "injection/core/record/wrap.hpp"
#include "injection/process/clone.hpp"

#define ARCH_PRCTL_WRAPPER(name)                                      \
  PROF_REAL_SLOT(name, nullptr)                                       \
  PROF_WRAPPER(name, int, (int code, unsigned long address)) {        \
    if (code == ARCH_SET_FS) prof::process::expect_foreign_threads(); \
    return PROF_REAL(name, int, (int, unsigned long))(code, address); \
  }
ARCH_PRCTL_WRAPPER(arch_prctl)
ARCH_PRCTL_WRAPPER(__arch_prctl)
