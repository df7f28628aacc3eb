#include "injection/cuda/kernels/profile_records.hpp"

#include <cstddef>
#include <cstring>

#include "injection/core/record/record_writer.hpp"

namespace prof::cuda::kernels {

namespace {

// True if prof itself did not profile the launch.
bool is_refusal(const Failure& failure) {
  return failure.result == CUPTI_SUCCESS && failure.reason != KernelProfileReason::kOtherLaunches;
}

}  // namespace

void set_failure(wire::KernelProfileRecord& record, const Failure& failure) {
  record.status =
      is_refusal(failure) ? KernelProfileStatus::kRefused : KernelProfileStatus::kFailed;
  record.reason = failure.reason;
  record.function = static_cast<std::uint32_t>(failure.function);
  record.result = static_cast<std::uint32_t>(failure.result);
  record.passes = 0;
}

void write_metrics(const ChipPlan& made, const PassGroup& group) {
  for (std::size_t i = group.first; i < group.first + group.num_metrics; ++i)
    core::append(wire::KernelMetricRecord{
        core::header_of<wire::KernelMetricRecord>(wire::RecordType::kKernelMetric), made.hashes[i],
        made.values[i]});
}

std::uint64_t duration_of(const ChipPlan& made, const PassGroup& group) {
  for (std::size_t i = group.first; i < group.first + group.num_metrics; ++i)
    if (std::strcmp(made.names[i], "gpu__time_duration.sum") == 0 && made.values[i] >= 0)
      return static_cast<std::uint64_t>(made.values[i]);
  return 0;
}

void set_duration(wire::CudaKernelRecord& record, std::uint64_t duration) {
  record.start = duration < record.end ? record.end - duration : record.end;
}

}  // namespace prof::cuda::kernels
