// Timers with which processes sample themselves (injection/sampler), for machines where the kernel
// refuses perf_event_open.
#pragma once

#include <cstdint>
#include <string>

#include "collector/sampler/cpu_options.hpp"

namespace prof::sampler {

// Returns why that is not possible here. Empty if it is possible.
std::string timers_obstacle();

// Returns the time between two ticks of the kernel, ns. The kernel checks timers of CPU time at
// each tick.
std::uint64_t kernel_tick();

// Returns the CPU time between two samples of a thread, ns.
std::uint64_t timer_period(const CpuOptions& options, std::uint64_t tick);

}  // namespace prof::sampler
