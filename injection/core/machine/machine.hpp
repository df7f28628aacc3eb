// The differences between processors in code that runs in the program. Each processor has a header
// with the same functions.
#pragma once

#if defined(__x86_64__)
#include "injection/core/machine/x86_64.hpp"
#elif defined(__aarch64__)
#include "injection/core/machine/aarch64.hpp"
#else
#error "prof runs on x86-64 and on aarch64 only"
#endif
