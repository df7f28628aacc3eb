#include "collector/session/options/capture_metadata.hpp"

#include <filesystem>

namespace prof::session {

namespace {

// Event types by wire::Library; nsys has the first two.
constexpr const char* kLibraryEvents[wire::kLibraries] = {
    "CublasEvents", "CudnnEvents", "CusolverEvents", "CusparseEvents",
    "NcclEvents",   "MpiEvents",   "OpenMpEvents",   "OpenAccEvents",
    "OpenGlEvents", "UcxEvents",   "OpenShmemEvents"};

constexpr const char* word(bool value) { return value ? "true" : "false"; }

std::string joined(const std::vector<std::string>& words, const char* separator) {
  std::string text;
  for (const std::string& each : words) text += (text.empty() ? "" : separator) + each;
  return text;
}

void add_event_type(MetadataRows& rows, bool is_traced, const char* type) {
  if (is_traced) rows.emplace_back("CAPTURE_EVENT_TYPE", type);
}

// Adds nsys's rows. The period is in ns if a clock takes the samples.
void add_linux_perf(MetadataRows& rows, const SamplingOptions& options) {
  if (!options.is_any()) return;
  const auto add = [&rows](const char* name, const std::string& value) {
    rows.emplace_back(std::string("LINUX_PERF_OPTIONS:") + name, value);
  };
  const bool samples = options.samples != sampler::Scope::kNone;
  const bool is_clock = options.period == 0 && options.frequency != 0;
  const std::uint64_t period = is_clock ? 1'000'000'000 / options.frequency : options.period;
  const bool is_system = sampler::Scope::kSystem == (samples ? options.samples : options.switches);
  add("COLLECT_CPU_CTXSW_TRACE", word(options.switches != sampler::Scope::kNone));
  add("SAMPLING_PERIOD", std::to_string(samples ? period : 0));
  add("COLLECT_IP_BACKTRACE_SAMPLES", word(samples));
  add("SAMPLES_PER_BACKTRACE", std::to_string(samples ? options.samples_per_backtrace : 0));
  add("COLLECTION_MODE", is_system ? "SystemWide" : "ProcessTree");
  if (samples && is_clock) add("CPU_IP_TRIGGER_TYPE", "Software");
}

void add_sampling(MetadataRows& rows, const SamplingOptions& options) {
  if (options.samples == sampler::Scope::kNone) return;
  add_event_type(rows, true, "SamplingEvents");
  rows.emplace_back("SAMPLING_OPTIONS:SCOPE", options.scope_word);
  rows.emplace_back("SAMPLING_OPTIONS:BACKTRACE", options.backtrace_word);
  if (options.period != 0)
    rows.emplace_back("SAMPLING_OPTIONS:PERIOD", std::to_string(options.period));
  else
    rows.emplace_back("SAMPLING_OPTIONS:FREQUENCY", std::to_string(options.frequency));
}

void add_gpu_metrics(MetadataRows& rows, const metrics::GpuMetricsOptions& options) {
  if (!options.is_on()) return;
  rows.emplace_back("GPU_METRICS_OPTIONS:SAMPLING_FREQUENCY", std::to_string(options.frequency));
  rows.emplace_back("GPU_METRICS_OPTIONS:DEVICES", options.devices);
  if (!options.set.empty()) rows.emplace_back("GPU_METRICS_OPTIONS:SET", options.set);
}

void add_event_types(MetadataRows& rows, const SessionOptions& options) {
  add_event_type(rows, options.has(wire::kFeatureOsrt), "OSRuntime");
  add_event_type(rows, options.has(wire::kFeatureNvtx), "NvtxEvents");
  add_event_type(rows, options.has(wire::kFeatureCuda), "Cuda");
  add_event_type(rows, options.trace_system_calls, "Syscall");
  add_sampling(rows, options.cpu);
  if (options.python.samples)
    rows.emplace_back("PYTHON_SAMPLING_OPTIONS:FREQUENCY",
                      std::to_string(options.python.samples_per_second()));
  for (std::uint32_t i = 0; i < wire::kLibraries; ++i)
    add_event_type(rows, options.has(wire::library_feature(i)), kLibraryEvents[i]);
}

void add_vulkan(MetadataRows& rows, std::uint32_t graphics) {
  const auto has = [graphics](std::uint32_t bit) { return (graphics & bit) != 0; };
  if (!has(wire::kGraphicsVulkan)) return;
  add_event_type(rows, true, "Vulkan");
  const bool is_batch = has(wire::kGraphicsVulkanBatch);
  rows.emplace_back("VULKAN_OPTIONS:COLLECT_GPU_WORKLOAD",
                    word(is_batch || has(wire::kGraphicsVulkanIndividual)));
  rows.emplace_back("VULKAN_OPTIONS:COLLECT_DEBUG_MARKERS", word(has(wire::kGraphicsVulkanLabels)));
  rows.emplace_back("VULKAN_OPTIONS:GPU_WORKLOAD_BATCHED", word(is_batch));
}

void add_triggers(MetadataRows& rows, const CaptureRangeOptions& ranges) {
  const char* start = ranges.cuda_profiler_api ? "CudaProfilerApi" : "NvtxRange";
  rows.emplace_back("START_TRIGGER", ranges.enabled ? start : "Immediate");
  rows.emplace_back("STOP_TRIGGER", "Delayed");
}

void add_osrt(MetadataRows& rows, const SessionOptions& options) {
  const CallChainOptions& chains = options.call_chains;
  const auto add = [&rows](const char* name, const std::string& value) {
    rows.emplace_back(std::string("OS_RUNTIME_OPTIONS:") + name, value);
  };
  add("DURATION_THRESHOLD_NS", std::to_string(options.osrt_threshold_ns));
  add("COLLECT_BACKTRACES", word(options.osrt_chain_depth() != 0));
  add("BACKTRACES_THRESHOLD_NS", std::to_string(chains.osrt_threshold_ns));
  add("FILE_ACCESS", word(options.has(wire::kFeatureFileAccess)));
  add("BACKTRACES_DEPTH",
      std::to_string(chains.osrt_depth.value_or(CallChainOptions::kDefaultOsrtDepth)));
  add("BACKTRACES_STACK_SIZE", std::to_string(chains.osrt_stack_bytes));
  rows.emplace_back("CUDA_OPTIONS:BACKTRACE", chains.cuda_words);
}

void add_process(MetadataRows& rows, const SessionOptions& options) {
  const auto add = [&rows](const std::string& name, const std::string& value) {
    rows.emplace_back("PROCESS_0:" + name, value);
  };
  const CudaOptions& cuda = options.cuda;
  add("HOW_TO_ATTACH", "LaunchAnother");
  for (std::size_t i = 0; i < options.command.size(); ++i)
    add(i == 0 ? "COMMAND" : "ARGUMENT_" + std::to_string(i - 1), options.command[i]);
  add("WORKING_DIR", std::filesystem::current_path().string());
  add("COLLECT_NVTX_TRACE", word(options.has(wire::kFeatureNvtx)));
  add("COLLECT_CUDA_TRACE", word(options.has(wire::kFeatureCuda)));
  if (!options.has(wire::kFeatureCuda)) return;
  add("CUDA_FLUSH_PERIODICALLY", word(cuda.flush_interval != 0));
  add("CUDA_FLUSH_PERIOD", std::to_string(cuda.flush_interval));
  add("CUDA_SKIP_SOME_API_CALLS", word(!cuda.has(wire::kCudaAllApis)));
  add("COLLECT_GPU_MEMORY_USAGE", word(cuda.has(wire::kCudaMemoryUsage)));
  add("COLLECT_UVM_CPU_PAGE_FAULTS", word(cuda.has(wire::kCudaUnifiedMemoryCpuFaults)));
  add("COLLECT_UVM_GPU_PAGE_FAULTS", word(cuda.has(wire::kCudaUnifiedMemoryGpuFaults)));
  add("CUDA_GRAPH_TRACE_OPTIONS:MODE", cuda.has(wire::kCudaGraphNodes) ? "Node" : "Graph");
  add("CUDA_FLUSH_ON_CUDA_PROFILER_STOP", word(cuda.has(wire::kCudaFlushOnProfilerStop)));
}

}  // namespace

MetadataRows capture_metadata(const SessionOptions& options) {
  MetadataRows rows;
  add_event_types(rows, options);
  add_vulkan(rows, options.graphics);
  add_triggers(rows, options.ranges);
  add_osrt(rows, options);
  add_process(rows, options);
  rows.emplace_back("INCLUDE_CHILDREN", "true");
  add_linux_perf(rows, options.cpu);
  add_gpu_metrics(rows, options.gpu_metrics);
  if (options.has(wire::kFeatureThinning))
    rows.emplace_back("PROF_OPTIONS:MAX_OVERHEAD_PPM", std::to_string(options.max_overhead));
  rows.emplace_back("NVTX_OPTIONS:NVTX_DOMAIN_FILTER_STRING", joined(options.nvtx.domains, ","));
  rows.emplace_back("NVTX_OPTIONS:NVTX_DOMAIN_FILTER_MODE_INCLUDE",
                    word(options.nvtx.filter == wire::NvtxFilter::kInclude));
  return rows;
}

}  // namespace prof::session
