// Events of the kernel's perf subsystem on a process and its future children.
#pragma once

#include <linux/perf_event.h>
#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/unique_fd.hpp"

namespace prof::sampler {

// Returns the attributes of an event that the process's next exec enables and its children inherit.
// Its times are of CLOCK_MONOTONIC_RAW, and all records contain pid, tid and time. The caller sets
// type, config and other fields.
perf_event_attr event_enabled_on_exec();

// The kernel appends these ids to each record of such an event that is not a sample
// (sample_id_all).
struct RecordIds {
  std::uint32_t pid;
  std::uint32_t tid;
  std::uint64_t time;
};

// Opens an event for one CPU, because an inherited event can have a buffer only if it is limited to
// a CPU. Invalid, with errno set, if the kernel refuses.
base::UniqueFd open_event(const perf_event_attr& attributes, pid_t pid, int cpu);

// Sends the event's records into the buffer of another event of the same CPU.
bool redirect_event(const base::UniqueFd& event, const base::UniqueFd& into);

// Returns how many records of the event were lost, if the kernel counts them (since 6.0), else 0.
std::uint64_t lost_records(const base::UniqueFd& event);

// Returns the CPUs that are online.
std::vector<int> online_cpus();

// Explains why perf_event_open failed with this errno, and what would help.
std::string explain_open_error(int error);

}  // namespace prof::sampler
