// How perf numbers the registers of a processor.
#pragma once

#include <cstdint>

#include "common/code/unwind/registers.hpp"

#if defined(__x86_64__)
#include "collector/sampler/machine/x86_64.hpp"
#elif defined(__aarch64__)
#include "collector/sampler/machine/aarch64.hpp"
#else
#error "prof runs on x86-64 and on aarch64 only"
#endif
