#include "cli/options/metric_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "cli/failure.hpp"
#include "cli/options/option_kinds.hpp"
#include "collector/metrics/gpu/helper.hpp"
#include "collector/metrics/gpu/metric_set.hpp"
#include "collector/session/host_info.hpp"

namespace prof::cli {

namespace {

constexpr const char* kMetricsGroup = "GPU metrics";
constexpr const char* kHelp = "help";

bool is_gpu_number(const std::string& word) {
  return !word.empty() && word.size() <= 3 &&
         std::ranges::all_of(word, [](char each) { return each >= '0' && each <= '9'; });
}

bool is_gpu_list(const std::string& list) {
  std::istringstream words(list);
  bool all = !list.empty() && !list.ends_with(',');
  for (std::string word; std::getline(words, word, ',');) all = all && is_gpu_number(word);
  return all;
}

void take_devices(const std::string& word, metrics::GpuMetricsOptions& options) {
  constexpr const char* kWords[] = {"none", "all", "cuda-visible", kHelp};
  if (std::ranges::find(kWords, word) == std::end(kWords) && !is_gpu_list(word))
    throw Failure("--gpu-metrics-devices " + word +
                      ": write none, all, cuda-visible, help, or numbers of GPUs separated by "
                      "commas",
                  kBadUsage);
  options.devices = word;
}

}  // namespace

void add_gpu_metrics_options(CLI::App& app, metrics::GpuMetricsOptions& options) {
  add_parsed(
      app, "--gpu-metrics-devices",
      [&options](const std::string& word) { take_devices(word, options); },
      "GPUs whose counters are sampled, whoever uses them: none, all, those that "
      "CUDA_VISIBLE_DEVICES leaves, or numbers separated by commas; help lists them")
      ->type_name("none|all|cuda-visible|help|IDS")
      ->default_str(options.devices)
      ->group(kMetricsGroup);
  app.add_option("--gpu-metrics-frequency", options.frequency, "Samples per second (10 to 200000)")
      ->type_name("HZ")
      ->check(CLI::Range(10U, 200'000U))
      ->capture_default_str()
      ->group(kMetricsGroup);
  app.add_option("--gpu-metrics-set", options.set,
                 "Which metrics to sample: a name, or file:PATH for a set of your own; help lists "
                 "the names. Default: the general set of the GPU's chip")
      ->type_name("help|NAME|file:PATH")
      ->group(kMetricsGroup);
}

bool print_metrics_help(const metrics::GpuMetricsOptions& options, const std::string& cupti_path) {
  const bool lists_gpus = options.devices == kHelp;
  const bool lists_sets = options.set == kHelp;
#ifdef PROF_HAS_GPU_METRICS
  if (lists_gpus) fmt::print("{}", metrics::describe_gpus(cupti_path, session::gpu_locations()));
#endif
  if (lists_sets) fmt::print("{}", metrics::describe_sets());
  return lists_gpus || lists_sets;
}

void resolve_gpu_metrics(session::SessionOptions& options) {
  metrics::GpuMetricsOptions& gpus = options.gpu_metrics;
  if (!gpus.is_on()) {
    if (!gpus.set.empty())
      options.warnings.push_back("--gpu-metrics-set has no effect without --gpu-metrics-devices.");
    return;
  }
#ifndef PROF_HAS_GPU_METRICS
  throw Failure(
      "--gpu-metrics-devices: this build of prof was made without the headers of CUDA and CUPTI");
#endif
  gpus.cupti = options.cuda.cupti;
  if (gpus.set.empty()) return;
  if (const auto set = metrics::find_metric_set(gpus.set); !set)
    throw Failure(set.error().message, kBadUsage);
}

}  // namespace prof::cli
