// Threads that existed before a recording. The kernel reports only new ones.
#pragma once

#include "collector/sampler/kernel_record_buffer.hpp"

namespace prof::sampler {

// Appends the name of every thread in /proc.
void add_running_tasks(KernelRecordBuffer& records);

}  // namespace prof::sampler
