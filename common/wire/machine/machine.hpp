// What prof and the program have to agree on that depends on the processor: the counter that is the
// clock, and which registers are recorded. These have the numbers that DWARF gives them.
#pragma once

#if defined(__x86_64__)
#include "common/wire/machine/x86_64.hpp"
#elif defined(__aarch64__)
#include "common/wire/machine/aarch64.hpp"
#else
#error "prof runs on x86-64 and on aarch64 only"
#endif
