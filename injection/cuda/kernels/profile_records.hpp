// Records of profiled launches.
#pragma once

#include <cstdint>

#include "common/wire/cuda_records.hpp"
#include "common/wire/kernel_records.hpp"
#include "injection/cuda/kernels/profiler.hpp"

namespace prof::cuda::kernels {

using wire::KernelProfileReason;
using wire::KernelProfileStatus;

// Says in the record why there are no values.
void set_failure(wire::KernelProfileRecord& record, const Failure& failure);

// Writes the values of a group's metrics.
void write_metrics(const ChipPlan& made, const PassGroup& group);

// Returns the duration of the kernel in ns; 0: it is not among the metrics of the group.
std::uint64_t duration_of(const ChipPlan& made, const PassGroup& group);

// Sets the start from the end; `duration`: ns.
void set_duration(wire::CudaKernelRecord& record, std::uint64_t duration);

}  // namespace prof::cuda::kernels
