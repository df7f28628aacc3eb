// Findings from sampled GPU metrics, and from NVML's counters.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "exporters/analysis/analyze/findings/amount_text.hpp"
#include "exporters/analysis/analyze/findings/finding.hpp"
#include "exporters/analysis/insight/occupancy/rule_texts.hpp"

namespace prof::analyze {

namespace {

// The kernels of all GPUs that fit a rule.
struct LoadedKernels {
  std::int64_t count = 0;
  std::int64_t time = 0;
  const KernelLoad* top = nullptr;  // the kernels with the most time
  std::vector<std::int64_t> names = {};
};

template <class Fits>
LoadedKernels kernels_that(const Facts& facts, Fits fits) {
  LoadedKernels result;
  for (const GpuLoad& gpu : facts.loads) {
    for (const KernelLoad& each : gpu.kernels) {
      if (!fits(each.percents, facts.work.kernel_kind(each.longest.name))) continue;
      result.count += each.count;
      result.time += each.time;
      result.names.push_back(each.longest.name);
      if (result.top == nullptr || each.time > result.top->time) result.top = &each;
    }
  }
  return result;
}

// `load` describes the kernel with the most time, such as "78 % of the peak bandwidth".
Finding finding_of(const Facts& facts, const LoadedKernels& kernels, const char* rule,
                   const char* sentence, const std::string& load, const char* remedy) {
  return Finding{rule,
                 sentence,
                 kernels.time,
                 fmt::format("{}; the most time ({}) is in {}: {}",
                             count_text(kernels.count, "kernel"), time_text(kernels.top->time),
                             name_text(facts.work.name_of(kernels.top->longest)), load),
                 remedy,
                 where_of(facts, kernels.top->longest),
                 false,
                 1,
                 kernels.names};
}

// Returns "; its launch allows ...", of the launches of a kernel with the most time.
std::string allowed_text(const Facts& facts, std::int64_t name) {
  const insight::KernelLaunches* most = nullptr;
  for (const insight::KernelLaunches& each : facts.launches)
    if (each.configuration.kernel.name == name && (most == nullptr || each.total > most->total))
      most = &each;
  if (most == nullptr ||
      insight::occupancy_of(most->shape, most->gpu).blocks_per_multiprocessor == 0)
    return "";
  return "; its launch allows " +
         insight::reason_text(insight::KernelRule::kLowOccupancy, most->shape, most->gpu);
}

bool fills_memory(const LoadPercents& load) { return load.memory >= 60 && load.tensor_cores < 30; }

// Times in which GPUs had a problem.
struct BadTimes {
  std::int64_t sum = 0;  // ns, summed over all GPUs
  const GpuLoad* worst = nullptr;
  std::int64_t of_worst = 0;
};

BadTimes bad_times(const Facts& facts, insight::Intervals GpuLoad::*times) {
  BadTimes result;
  for (const GpuLoad& gpu : facts.loads) {
    const std::int64_t of_gpu = insight::total(gpu.*times);
    result.sum += of_gpu;
    if (of_gpu <= result.of_worst) continue;
    result.worst = &gpu;
    result.of_worst = of_gpu;
  }
  return result;
}

std::optional<Finding> full_link(const Facts& facts, insight::Intervals GpuLoad::*times,
                                 const char* rule, const char* sentence, const char* link,
                                 const char* remedy) {
  const BadTimes full = bad_times(facts, times);
  if (full.worst == nullptr) return std::nullopt;
  return Finding{rule,
                 sentence,
                 full.sum,
                 fmt::format("{} of GPU {} at 90 % of the peak or more for {}", link,
                             full.worst->gpu, time_text(full.of_worst)),
                 remedy,
                 where_of(facts, *full.worst->longest, full.worst->*times)};
}

}  // namespace

bool is_memory_bound(const Facts& facts, std::int64_t name) {
  return std::ranges::any_of(facts.loads, [&](const GpuLoad& gpu) {
    return std::ranges::any_of(gpu.kernels, [&](const KernelLoad& each) {
      return each.longest.name == name && fills_memory(each.percents);
    });
  });
}

std::optional<Finding> memory_bound_kernels(const Facts& facts) {
  const LoadedKernels kernels = kernels_that(
      facts,
      [](const LoadPercents& load, const insight::KernelKind&) { return fills_memory(load); });
  if (kernels.count == 0) return std::nullopt;
  return finding_of(facts, kernels, "memory_bound_kernels",
                    "Kernels are limited by the bandwidth of the GPU's memory",
                    fmt::format("{:.0f} % of the peak bandwidth{}", kernels.top->percents.memory,
                                stall_text(facts.stalls, kernels.top->longest.name)),
                    "Read and write less: fuse element-wise operations (torch.compile, a fused "
                    "optimizer), use a lower precision, reuse data in shared memory");
}

std::optional<Finding> idle_tensor_cores(const Facts& facts) {
  const LoadedKernels kernels =
      kernels_that(facts, [](const LoadPercents& load, const insight::KernelKind& kind) {
        return kind.tensor_cores == insight::TensorCores::kUsed && load.tensor_cores >= 0 &&
               load.tensor_cores < 15;
      });
  if (kernels.count == 0) return std::nullopt;
  return finding_of(
      facts, kernels, "idle_tensor_cores",
      "The tensor cores are nearly idle in kernels that are made for them",
      fmt::format("tensor cores {:.0f} % active, memory {:.0f} % of the peak bandwidth",
                  kernels.top->percents.tensor_cores, std::max(0.0, kernels.top->percents.memory)),
      "Use larger batches or matrices, and sizes that are multiples of 64; look whether the memory "
      "or the number of blocks is the limit");
}

std::optional<Finding> idle_multiprocessors(const Facts& facts) {
  std::int64_t unused = 0;
  const GpuLoad* worst = nullptr;
  for (const GpuLoad& gpu : facts.loads) {
    const double active = gpu.percents.multiprocessors;
    if (active < 0 || active >= 60) continue;
    unused +=
        static_cast<std::int64_t>(static_cast<double>(gpu.kernel_time) * (100 - active) / 100);
    if (worst == nullptr || active < worst->percents.multiprocessors) worst = &gpu;
  }
  if (worst == nullptr) return std::nullopt;
  return Finding{
      "idle_multiprocessors",
      "While kernels compute, many multiprocessors have no work",
      unused,
      fmt::format("GPU {}: on average {:.0f} % of the multiprocessors have work during {} "
                  "with kernels",
                  worst->gpu, worst->percents.multiprocessors, time_text(worst->kernel_time)),
      "Launch more blocks at once: larger batches, independent kernels on several "
      "streams, or several processes on one GPU (MPS, MIG)",
      where_of(facts, *worst->longest)};
}

std::optional<Finding> low_occupancy(const Facts& facts) {
  if (facts.loads.empty()) return limited_occupancy(facts);
  const LoadedKernels kernels =
      kernels_that(facts, [](const LoadPercents& load, const insight::KernelKind& kind) {
        return load.multiprocessors >= 60 && load.warps >= 0 && load.warps < 15 &&
               load.memory < 50 && load.tensor_cores < 15 && !kind.communication;
      });
  if (kernels.count == 0) return std::nullopt;
  return finding_of(facts, kernels, "low_occupancy",
                    "Kernels keep few warps in flight and wait for memory or dependencies",
                    fmt::format("{:.0f} % of the warps in flight on {:.0f} % of the "
                                "multiprocessors{}{}",
                                kernels.top->percents.warps, kernels.top->percents.multiprocessors,
                                allowed_text(facts, kernels.top->longest.name),
                                stall_text(facts.stalls, kernels.top->longest.name)),
                    kMoreOccupancy);
}

std::optional<Finding> full_pcie(const Facts& facts) {
  return full_link(facts, &GpuLoad::full_pcie, "full_pcie",
                   "The PCIe link between the GPU and the host is at its limit", "the PCIe link",
                   "Copy less: keep data on the GPU, use a smaller type for copies, do "
                   "preprocessing on the GPU");
}

std::optional<Finding> full_nvlink(const Facts& facts) {
  return full_link(facts, &GpuLoad::full_nvlink, "full_nvlink",
                   "The NVLink between the GPUs is at its limit", "NVLink",
                   "Communicate less: a lower precision for gradients, larger accumulation steps, "
                   "less tensor parallelism");
}

std::optional<Finding> shared_gpu(const Facts& facts) {
  const BadTimes foreign = bad_times(facts, &GpuLoad::foreign);
  if (foreign.worst == nullptr) return std::nullopt;
  return Finding{
      "shared_gpu",
      "Another process uses the GPU",
      foreign.sum,
      fmt::format("GPU {} was busy for {} in which nothing of this report ran on it{}{}",
                  foreign.worst->gpu, time_text(foreign.of_worst),
                  foreign.worst->foreign_user.empty() ? "" : "; ", foreign.worst->foreign_user),
      "Look for it with nvidia-smi or prof monitor, and give the program a GPU for itself",
      where_of(facts, *foreign.worst->longest, foreign.worst->foreign)};
}

std::optional<Finding> gpu_throttled(const Facts& facts) {
  std::int64_t lost = 0;
  const ThrottledGpu* worst = nullptr;
  for (const ThrottledGpu& gpu : facts.throttled) {
    lost += gpu.lost;
    if (worst == nullptr || gpu.lost > worst->lost) worst = &gpu;
  }
  if (worst == nullptr) return std::nullopt;
  const bool is_hot = std::ranges::any_of(worst->reasons, [](const ThrottleReason& each) {
    return each.name.find("Thermal") != std::string::npos;
  });
  return Finding{
      "gpu_throttled",
      "GPUs lower their clocks while they work",
      lost,
      fmt::format("GPU {}: {}", worst->gpu, text_of(*worst)),
      is_hot
          ? "Look at the cooling, and at the other work in the machine"
          : "Look whether the power limit is lower than it has to be (prof status --gpus), and at "
            "the power supply; a lower precision needs less power for the same work",
      where_of(facts, worst->longest, worst->times)};
}

}  // namespace prof::analyze
