// Threads that were there before a recording: the kernel tells of new ones only.
#pragma once

#include "collector/sampler/kernel_record_buffer.hpp"

namespace prof::sampler {

// Appends the name of every thread that /proc has.
void add_running_tasks(KernelRecordBuffer& records);

}  // namespace prof::sampler
