// Rules about pipes, threads of warps and floating-point instructions.
#include <fmt/format.h>

#include <algorithm>

#include "exporters/analysis/insight/kernel_kinds.hpp"
#include "exporters/analysis/insight/profiles/rule_groups.hpp"

namespace prof::insight {

namespace {

struct Pipe {
  const char* metric;
  const char* name;
};
// Chips have different ones of them.
constexpr Pipe kPipes[] = {{"sm__pipe_alu_cycles_active", "ALU"},
                           {"sm__pipe_fma_cycles_active", "FMA"},
                           {"sm__pipe_fp64_cycles_active", "FP64"},
                           {"sm__pipe_shared_cycles_active", "shared (FP64 and tensor)"},
                           {"sm__pipe_tc_cycles_active", "tensor"},
                           {"sm__pipe_tensor_cycles_active", "tensor"},
                           {"sm__pipe_tensor_cycles_active_v2", "tensor"},
                           {"sm__pipe_tma_cycles_active", "TMA"}};

void add_pipe_load(const MetricValues& metrics, RuleResults& results) {
  constexpr double kIdle = 20;  // percent
  constexpr double kBusy = 60;
  const Pipe* busiest = nullptr;
  double most = -1;
  for (const Pipe& each : kPipes) {
    const auto load = metrics.find(elapsed(each.metric));
    if (!load || *load <= most) continue;
    busiest = &each;
    most = *load;
  }
  if (busiest == nullptr) return;
  if (most < kIdle)
    results.push_back(
        {KernelRule::kIdlePipes, 1 - most / 100, true,
         fmt::format("the busiest pipe, {}, works {:.1f} % of the time", busiest->name, most)});
  else if (most >= kBusy)
    results.push_back({KernelRule::kBusyPipe, 0, true,
                       fmt::format("the {} pipe works {:.1f} % of the time", busiest->name, most)});
}

void add_divergence(const ProfiledKernel& kernel, RuleResults& results) {
  const MetricValues& metrics = kernel.metrics;
  constexpr double kFew = 24;
  constexpr double kAll = 32;
  const auto active_threads = metrics.find("smsp__thread_inst_executed_per_inst_executed.ratio");
  const auto enabled = metrics.find("smsp__thread_inst_executed_pred_on_per_inst_executed.ratio");
  if (!active_threads || *active_threads <= 0) return;
  const double threads = std::min(*active_threads, enabled.value_or(kAll));
  if (threads >= kFew) return;
  const auto compute = metrics.find(elapsed("sm__throughput"));
  results.push_back(
      {KernelRule::kDivergence, (1 - threads / kAll) * compute.value_or(100) / 100, !compute,
       with_hint(fmt::format("{:.1f} of 32 threads of a warp are active, on average", threads),
                 kernel, &SourceHints::idle_threads)});
}

void add_idle_tensor_cores(const ProfiledKernel& kernel, RuleResults& results) {
  constexpr double kIdle = 15;  // percent
  if (kernel.name.empty() || kind_of_kernel(kernel.name).tensor_cores != TensorCores::kUsed) return;
  for (const char* metric : {"sm__pipe_tensor_cycles_active", "sm__pipe_tensor_cycles_active_v2"}) {
    const auto load = kernel.metrics.find(elapsed(metric));
    if (load && *load < kIdle)
      results.push_back({KernelRule::kIdleTensorCores, 1 - *load / 100, true,
                         fmt::format("the tensor cores work {:.1f} % of the time", *load)});
  }
}

// Floating-point instructions of threads in a cycle.
struct Arithmetic {
  double fused = 0;
  double others = 0;  // additions and multiplications
  double peak = 0;    // fused instructions

  double achieved_part() const { return peak > 0 ? (others + 2 * fused) / (2 * peak) : 0; }
};

Arithmetic arithmetic_of(const MetricValues& metrics, char type) {
  const auto rate = [&](const char* operation) {
    return metrics.or_zero(fmt::format(
        "smsp__sass_thread_inst_executed_op_{}{}_pred_on.sum.per_cycle_elapsed", type, operation));
  };
  return {rate("fma"), rate("add") + rate("mul"),
          metrics.or_zero(fmt::format(
              "sm__sass_thread_inst_executed_op_{}fma_pred_on.sum.peak_sustained", type))};
}

void add_double_precision(const MetricValues& metrics, RuleResults& results) {
  constexpr double kBusy = 0.6;
  constexpr double kMuch = 0.15;
  const Arithmetic fp32 = arithmetic_of(metrics, 'f');
  const Arithmetic fp64 = arithmetic_of(metrics, 'd');
  if (fp32.peak <= 0 || fp64.peak <= 0 || fp32.achieved_part() >= kBusy ||
      fp64.achieved_part() <= kMuch)
    return;
  const double work = fp64.others + 2 * fp64.fused;
  const double share = work / (work + fp32.others + 2 * fp32.fused);
  const double slower = std::max(0.0, 1 - fp64.peak / fp32.peak);
  const auto load = metrics.find(elapsed("sm__pipe_fp64_cycles_active"));
  results.push_back(
      {KernelRule::kDoublePrecision, share * slower * load.value_or(100) / 100, !load,
       fmt::format("FP64 reaches {:.0f} % of its peak, FP32 {:.0f} %; FP32's peak is {:.0f} times "
                   "as high",
                   100 * fp64.achieved_part(), 100 * fp32.achieved_part(), fp32.peak / fp64.peak)});
}

void add_unfused(const MetricValues& metrics, char type, int bits, const char* pipe,
                 RuleResults& results) {
  constexpr double kMany = 0.2;  // of the instructions
  const Arithmetic work = arithmetic_of(metrics, type);
  if (work.others + work.fused <= 0) return;
  const double part = work.others / (work.others + work.fused);
  if (part <= kMany) return;
  const auto load = metrics.find(elapsed(pipe));
  results.push_back({KernelRule::kUnfused, part / 2 * load.value_or(100) / 100, !load,
                     fmt::format("{:.0f} % of the FP{} instructions add or multiply, and {:.0f} % "
                                 "do both",
                                 100 * part, bits, 100 * (1 - part))});
}

}  // namespace

void add_pipe_rules(const ProfiledKernel& kernel, RuleResults& results) {
  add_pipe_load(kernel.metrics, results);
  add_idle_tensor_cores(kernel, results);
}

void add_arithmetic_rules(const ProfiledKernel& kernel, RuleResults& results) {
  add_divergence(kernel, results);
  add_double_precision(kernel.metrics, results);
  add_unfused(kernel.metrics, 'f', 32, "sm__pipe_fma_cycles_active", results);
  add_unfused(kernel.metrics, 'd', 64, "sm__pipe_fp64_cycles_active", results);
}

}  // namespace prof::insight
