// The processor's properties that prof and the program must agree on: the counter that is the
// clock, and the registers that are recorded. Registers have their DWARF numbers.
#pragma once

#if defined(__x86_64__)
#include "common/wire/machine/x86_64.hpp"
#elif defined(__aarch64__)
#include "common/wire/machine/aarch64.hpp"
#else
#error "prof runs on x86-64 and on aarch64 only"
#endif
