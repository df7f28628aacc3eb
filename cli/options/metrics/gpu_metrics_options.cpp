#include "cli/options/metrics/gpu_metrics_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <sstream>
#include <string>
#include <utility>

#include "cli/messages/failure.hpp"
#include "cli/options/option_kinds.hpp"
#include "collector/metrics/gpu/gpu_process.hpp"
#include "collector/metrics/gpu/metric_set.hpp"
#include "collector/session/host_info.hpp"

namespace prof::cli {

namespace {

constexpr const char* kMetricsGroup = "GPU metrics";
constexpr const char* kHelp = "help";
constexpr std::uint64_t kMinFrequency = 10;
constexpr std::uint64_t kMaxFrequency = 200'000;

constexpr const char* kNotBuilt =
    "--gpu-metrics-devices: this build of prof was made without the headers of CUDA and CUPTI";

#ifdef PROF_HAS_GPU_METRICS
constexpr bool kHasGpuMetrics = true;
std::string gpus_text(const std::string& cupti_path) {
  return metrics::describe_gpus(cupti_path, session::gpu_locations());
}
#else
constexpr bool kHasGpuMetrics = false;
std::string gpus_text(const std::string&) { throw Failure(kNotBuilt); }
#endif

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

// nsys takes one value for each GPU. prof uses the first value for all GPUs.
std::string first_of(const std::string& name, const std::string& list,
                     session::SessionOptions& options) {
  const std::size_t comma = list.find(',');
  if (comma == std::string::npos) return list;
  const std::string first = list.substr(0, comma);
  options.warnings.push_back(name + "=" + list + ": all GPUs are sampled with " + first);
  return first;
}

// Parses "10000" and "10k".
std::uint32_t frequency_of(const std::string& text) {
  constexpr std::pair<char, std::uint64_t> kUnits[] = {{'k', 1'000}, {'m', 1'000'000}};
  std::uint64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  bool is_number = error == std::errc() && number <= kMaxFrequency;
  if (is_number && stop != end) {
    const auto* const unit =
        std::ranges::find(kUnits, char(*stop | 0x20), [](auto each) { return each.first; });
    is_number = stop + 1 == end && unit != std::end(kUnits);
    if (is_number) number *= unit->second;
  }
  if (!is_number || number < kMinFrequency || number > kMaxFrequency)
    throw Failure("--gpu-metrics-frequency " + text + ": not a number from 10 to 200000, or 10k",
                  kBadUsage);
  return static_cast<std::uint32_t>(number);
}

}  // namespace

void add_gpu_metrics_options(CLI::App& app, session::SessionOptions& session) {
  metrics::GpuMetricsOptions& options = session.gpu_metrics;
  add_parsed(
      app, "--gpu-metrics-devices",
      [&options](const std::string& word) { take_devices(word, options); },
      "GPUs whose counters are sampled, for all programs that use them: none, all, those that "
      "CUDA_VISIBLE_DEVICES leaves, or numbers separated by commas; help lists them")
      ->type_name("none|all|cuda-visible|help|IDS")
      ->default_str(options.devices)
      ->group(kMetricsGroup);
  add_parsed(
      app, "--gpu-metrics-frequency",
      [&session](const std::string& list) {
        session.gpu_metrics.frequency =
            frequency_of(first_of("--gpu-metrics-frequency", list, session));
      },
      "Samples per second (10 to 200000; 10k is 10000)")
      ->type_name("HZ")
      ->default_str(std::to_string(options.frequency))
      ->group(kMetricsGroup);
  add_parsed(
      app, "--gpu-metrics-set",
      [&session](const std::string& list) {
        session.gpu_metrics.set = first_of("--gpu-metrics-set", list, session);
      },
      "Which metrics to sample: a name, or file:PATH for a set of your own; help lists the names. "
      "Default: the general set of the GPU's chip")
      ->type_name("help|NAME|file:PATH")
      ->group(kMetricsGroup);
}

bool print_metrics_help(const metrics::GpuMetricsOptions& options, const std::string& cupti_path) {
  const bool lists_gpus = options.devices == kHelp;
  const bool lists_sets = options.set == kHelp;
  if (lists_gpus) fmt::print("{}", gpus_text(cupti_path));
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
  if (options.cuda.pc_sampling != 0)
    throw Failure(
        "--pc-sampling and --gpu-metrics-devices use the same counters of a GPU: record one of "
        "them",
        kBadUsage);
  if (!kHasGpuMetrics) throw Failure(kNotBuilt);
  gpus.cupti = options.cuda.cupti;
  if (gpus.set.empty()) return;
  const auto set = metrics::find_metric_set(gpus.set);
  if (set) return;
  if (gpus.set.starts_with("file:")) throw Failure(set.error().message, kBadUsage);
  // nsys has other sets, for other chips.
  options.warnings.push_back("--gpu-metrics-set: " + set.error().message +
                             "; the general set of the GPU's chip is sampled");
  gpus.set.clear();
}

}  // namespace prof::cli
