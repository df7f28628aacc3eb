// How many threads of a program run, or wait for a CPU, at the same time.
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "exporters/analysis/analyze/program/cpu_facts.hpp"
#include "exporters/analysis/insight/intervals.hpp"

namespace prof::analyze {

// Numbers of threads that run and that wait for a CPU at the same time.
using BusyThreads = std::pair<std::int64_t, std::int64_t>;
using BusyTimes = std::map<BusyThreads, std::int64_t>;  // how long each of these lasts, ns

// `within`: only in these times; null: at any time.
BusyTimes busy_times(const CpuFacts& facts, const insight::Intervals* within = nullptr);

// Returns the largest number of threads that run at the same time. A number that lasts for a moment
// of the time `all` (kMoment) does not count: the records of two CPUs may overlap for a moment.
std::int64_t most_at_once(const BusyTimes& times, std::int64_t all);

}  // namespace prof::analyze
