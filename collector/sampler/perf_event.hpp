// Events of the kernel's perf subsystem on a process and its future children.
#pragma once

#include <linux/perf_event.h>
#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "collector/base/unique_fd.hpp"

namespace prof::sampler {

// An event that begins with the process's next exec, is passed on to its children, and is stamped
// with CLOCK_MONOTONIC_RAW; all records carry pid, tid and time (kRecordIds). The caller sets type,
// config and what else it wants.
perf_event_attr event_from_exec_on();

// What event_from_exec_on() puts behind each record that is not a sample (sample_id_all).
struct RecordIds {
  std::uint32_t pid;
  std::uint32_t tid;
  std::uint64_t time;
};

// One event for one CPU: inherited events cannot have a buffer otherwise. Invalid with errno set if
// the kernel refuses.
base::UniqueFd open_event(const perf_event_attr& attributes, pid_t pid, int cpu);

// Sends the event's records into the buffer of another one of the same CPU.
bool redirect_event(const base::UniqueFd& event, const base::UniqueFd& into);

// How many records of the event were lost, if the kernel counts them (since 6.0); else 0.
std::uint64_t lost_records(const base::UniqueFd& event);

// CPUs that may run something.
std::vector<int> online_cpus();

// Why perf_event_open failed for tracepoints, and what would help.
std::string refusal(int error);

}  // namespace prof::sampler
