#include "injection/cuda/kernels/chip_plan.hpp"

#include <cstring>

#include "injection/core/layout.hpp"
#include "injection/core/lazy_array.hpp"
#include "injection/core/record/record_writer.hpp"
#include "injection/core/record/strings.hpp"

namespace prof::cuda::kernels {

namespace {

using wire::KernelProfileReason;

constexpr std::uint32_t kMaxPlans = 16;
constinit core::LazyArray<ChipPlan, kMaxPlans> g_plans;

// Returns false if the metric's `except` has a beginning of the chip's name.
bool is_for(const MetricLine& metric, const char* chip) {
  for (const char* word = metric.except; *word != '\0';) {
    const std::size_t length = std::strcspn(word, " ");
    if (std::strncmp(word, chip, length) == 0) return false;
    word += length;
    if (*word == ' ') ++word;
  }
  return true;
}

// Keeps the metrics that CUPTI knows.
void drop_unknown(const Gpu& gpu, ChipPlan& made) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < made.num_metrics; ++i) {
    CUpti_Profiler_Host_Object* host = nullptr;
    if (!open_host(gpu, &made.names[i], 1, host)) made.names[kept++] = made.names[i];
    close_host(host);
  }
  made.num_metrics = kept;
}

// Finds the metrics of the plan that the GPU has.
Failure choose_metrics(const Plan& plan, const Gpu& gpu, ChipPlan& made) {
  for (std::size_t i = 0; i < plan.num_metrics; ++i)
    if (is_for(plan.metrics[i], gpu.chip)) made.names[made.num_metrics++] = plan.metrics[i].name;
  CUpti_Profiler_Host_Object* host = nullptr;
  const Failure failure = open_host(gpu, made.names, made.num_metrics, host);
  close_host(host);
  if (!failure) return {};
  if (failure.function != RangeFunction::k_cuptiProfilerHostConfigAddMetrics) return failure;
  drop_unknown(gpu, made);
  if (made.num_metrics == 0) return {KernelProfileReason::kNoMetrics};
  return {};
}

// Puts the metrics that fit into one pass to the front, in their order.
class OnePass {
 public:
  OnePass(const Gpu& gpu, ChipPlan& made) : gpu_(gpu), made_(made) {}

  // Returns their number.
  std::size_t gather() {
    const std::size_t all = made_.num_metrics;
    std::memcpy(given_, made_.names, all * sizeof *given_);
    take(0, all);
    std::memcpy(made_.names + fitting_, rest_, num_rest_ * sizeof *rest_);
    return fitting_;
  }

 private:
  // Takes what fits of the metrics from `begin` to `end`: all of them, or what fits of each half.
  void take(std::size_t begin, std::size_t end) {
    std::memcpy(made_.names + fitting_, given_ + begin, (end - begin) * sizeof *given_);
    if (passes_of(gpu_, made_.names, fitting_ + end - begin) == 1) {
      fitting_ += end - begin;
    } else if (end - begin == 1) {
      rest_[num_rest_++] = given_[begin];
    } else {
      const std::size_t middle = begin + (end - begin) / 2;
      take(begin, middle);
      take(middle, end);
    }
  }

  const Gpu& gpu_;
  ChipPlan& made_;
  std::size_t fitting_ = 0;
  std::size_t num_rest_ = 0;
  static const char* given_[kMaxMetrics];
  static const char* rest_[kMaxMetrics];
};
PROF_SELDOM const char* OnePass::given_[kMaxMetrics]{};
PROF_SELDOM const char* OnePass::rest_[kMaxMetrics]{};

Failure add_group(const Gpu& gpu, std::size_t end, ChipPlan& made) {
  const std::size_t first = made.num_groups == 0 ? 0 : made.groups[0].num_metrics;
  if (first == end) return {};
  PassGroup& group = made.groups[made.num_groups];
  group.first = first;
  group.num_metrics = end - first;
  if (Failure failure = open_host(gpu, &made.names[first], group.num_metrics, group.host))
    return failure;
  if (Failure failure = make_image(group.host, group.config)) return failure;
  made.passes += group.config.passes;
  ++made.num_groups;
  return {};
}

Failure make_groups(const Plan& plan, const Gpu& gpu, ChipPlan& made) {
  if (plan.replay == wire::KernelReplay::kRotate || plan.replay == wire::KernelReplay::kApplication)
    if (Failure failure = add_group(gpu, OnePass(gpu, made).gather(), made)) return failure;
  return add_group(gpu, made.num_metrics, made);
}

// Sends the names, units and descriptions of the metrics.
void send_names(ChipPlan& made, const PassGroup& group) {
  for (std::size_t i = group.first; i < group.first + group.num_metrics; ++i) {
    PROF_RANGE_PARAMETERS(CUpti_Profiler_Host_GetMetricProperties, properties);
    properties.pHostObject = group.host;
    properties.pMetricName = made.names[i];
    if (g_range.cuptiProfilerHostGetMetricProperties(&properties) != CUPTI_SUCCESS)
      properties.pDimUnit = properties.pDescription = nullptr;
    made.hashes[i] = core::intern(made.names[i]);
    core::append(wire::KernelMetricNameRecord{
        core::header_of<wire::KernelMetricNameRecord>(wire::RecordType::kKernelMetricName),
        made.hashes[i], core::intern(properties.pDimUnit), core::intern(properties.pDescription),
        made.chip});
  }
}

Failure make(const Plan& plan, std::uint32_t device, CUcontext context, ChipPlan& made) {
  Gpu gpu;
  if (Failure failure = describe_gpu(device, context, gpu)) return failure;
  made.chip = core::intern(gpu.chip);
  if (Failure failure = choose_metrics(plan, gpu, made)) return failure;
  if (Failure failure = make_groups(plan, gpu, made)) return failure;
  for (std::size_t i = 0; i < made.num_groups; ++i) send_names(made, made.groups[i]);
  return {};
}

}  // namespace

ChipPlan* plan_for(const Plan& plan, std::uint32_t device, CUcontext context) {
  ChipPlan* const plans = device < kMaxPlans ? g_plans.get() : nullptr;
  if (plans == nullptr) return nullptr;
  ChipPlan& made = plans[device];
  if (!made.is_made) {
    made.is_made = true;
    made.failure = make(plan, device, context, made);
  }
  return &made;
}

}  // namespace prof::cuda::kernels
