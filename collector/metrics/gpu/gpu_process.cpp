#include "collector/metrics/gpu/gpu_process.hpp"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <optional>

#include "collector/metrics/gpu/gpu_sampler.hpp"
#include "collector/metrics/gpu/gpu_sampling.hpp"

namespace prof::metrics {

namespace {

// A GPU that is sampled. The sampler refers to the configuration.
struct SampledGpu {
  CounterConfig config;
  std::unique_ptr<GpuSampler> sampler;
};

std::string label_of(const GpuDevice& gpu) { return fmt::format("GPU {} ({})", gpu.id, gpu.name); }

spool::MetricSourceNote group_of(const GpuDevice& gpu, const CounterConfig& config) {
  spool::MetricSourceNote group{
      .name = label_of(gpu), .gpu = gpu.id, .pid = getpid(), .tid = getpid()};
  for (const GpuMetric& metric : config.metrics)
    group.counters.push_back({metric.name, spool::CounterType::kInt64, metric.unit()});
  return group;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& each : words) text += (text.empty() ? "" : ", ") + each;
  return text;
}

class GpuProcess {
 public:
  GpuProcess(const GpuMetricsOptions& options, std::vector<std::string> locations, int out)
      : options_(options), locations_(std::move(locations)), output_(out) {}

  void run() {
    if (start()) output_.ready();
    wait_for_end();
    for (auto& gpu : gpus_) gpu->sampler->stop();
  }

 private:
  // Returns false if the options do not suit the machine. The collector has then received the
  // reason.
  bool start() {
    std::optional<MetricSet> chosen;
    if (!options_.set.empty()) {
      auto set = find_metric_set(options_.set);
      if (!set) return refuse(set.error());
      chosen = std::move(*set);
    }
    auto cupti = CuptiLibrary::load(options_.cupti);
    if (!cupti) return give_up("GPU metrics are not recorded", cupti.error());
    cupti_ = *cupti;
    const auto gpus = find_gpus(cupti_, locations_);
    if (!gpus) return give_up("GPU metrics are not recorded", gpus.error());
    const auto selected = select_gpus(*gpus, options_.devices);
    if (!selected) return refuse(selected.error());
    return std::ranges::all_of(*selected, [&](const GpuDevice& gpu) {
      return start(gpu, chosen ? *chosen : default_set(gpu.chip));
    });
  }

  bool start(const GpuDevice& gpu, const MetricSet& set) {
    auto sampled = std::make_unique<SampledGpu>();
    auto config = configure(cupti_, gpu, set);
    if (!config && config.error().is_of_set && !options_.set.empty())
      return refuse(
          {fmt::format("--gpu-metrics-set={}: {}", options_.set, config.error().error.message)});
    if (!config) return give_up(not_recorded(gpu), config.error().error);
    sampled->config = std::move(*config);
    auto sampling =
        PmSampling::create(cupti_, gpu, sampled->config, 1'000'000'000 / options_.frequency);
    if (!sampling) return give_up(not_recorded(gpu), sampling.error());
    sampled->sampler = std::make_unique<GpuSampler>(cupti_, sampled->config, std::move(*sampling),
                                                    options_.frequency, label_of(gpu), output_);
    const std::uint32_t group = output_.define(group_of(gpu, sampled->config));
    if (const base::Status started = sampled->sampler->start(group); !started)
      return give_up(not_recorded(gpu), started.error());
    if (!sampled->config.missing.empty())
      output_.remark(spool::Severity::kInfo,
                     fmt::format("{} does not have these metrics of the set: {}.", label_of(gpu),
                                 joined(sampled->config.missing)));
    gpus_.push_back(std::move(sampled));
    return true;
  }

  static std::string not_recorded(const GpuDevice& gpu) {
    return label_of(gpu) + ": GPU metrics are not recorded";
  }
  bool give_up(const std::string& what, const base::Error& why) {
    output_.remark(spool::Severity::kWarning, what + ": " + why.message + ".");
    return true;
  }
  bool refuse(const base::Error& why) {
    output_.refuse(why.message);
    return false;
  }

  // Waits until the collector closes the other end, which also happens when it dies.
  static void wait_for_end() {
    char byte = 0;
    while (read(STDIN_FILENO, &byte, 1) > 0) {
    }
  }

  const GpuMetricsOptions& options_;
  const std::vector<std::string> locations_;
  GpuOutput output_;
  CuptiLibrary cupti_;
  std::vector<std::unique_ptr<SampledGpu>> gpus_;
};

}  // namespace

int run_gpu_process(const std::vector<std::string>& arguments) {
  const auto request = read_sampling_arguments(arguments);
  if (!request) return 2;
  prctl(PR_SET_NAME, "prof-gpu");
  // Libraries may print to stdout. Their output must not mix with the messages.
  const int out = dup(STDOUT_FILENO);
  dup2(STDERR_FILENO, STDOUT_FILENO);
  GpuProcess(request->options, request->locations, out).run();
  return 0;
}

}  // namespace prof::metrics
