// Finds threads that run an event loop. Such a thread waits in epoll_wait for clients, data and its
// own timers, and calls a callback for each of them.
#pragma once

#include <vector>

#include "exporters/analysis/analyze/program/cpu_facts.hpp"

namespace prof::analyze {

// Returns the event loop of each thread. They are computed by the first call.
const std::vector<EventLoop>& event_loops(CpuFacts& facts);

// True for the function of a native library that runs until its event loop is stopped.
bool runs_native_loop(const events::Function& function);

// True for the code of a Python event loop itself, without the callbacks that it calls.
bool is_loop_code(const events::Function& function);

}  // namespace prof::analyze
