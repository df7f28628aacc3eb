// Threads that existed before a recording. The kernel reports only new threads.
#pragma once

#include <sys/types.h>

#include <vector>

#include "collector/sampler/kernel_record_buffer.hpp"

namespace prof::sampler {

// Appends the name of every thread in /proc.
void add_running_tasks(KernelRecordBuffer& records);
// Appends the names of the threads of these processes.
void add_running_tasks(KernelRecordBuffer& records, const std::vector<pid_t>& processes);

}  // namespace prof::sampler
