// Samples that the target's processes take of themselves, by timers, where the kernel refuses
// perf_event_open (injection/sampler).
#pragma once

#include <cstdint>
#include <string>

#include "collector/sampler/cpu_options.hpp"

namespace prof::sampler {

// Why it is not possible here; empty if it is.
std::string timers_obstacle();

// The kernel looks at timers of CPU time when it ticks: this many ns apart.
std::uint64_t kernel_tick();

// CPU time between two samples of a thread, ns.
std::uint64_t timer_period(const CpuOptions& options, std::uint64_t tick);

}  // namespace prof::sampler
