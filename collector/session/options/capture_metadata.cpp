#include "collector/session/options/capture_metadata.hpp"

#include <filesystem>

namespace prof::session {

namespace {

// Event types by wire::Library; nsys has the first two.
constexpr const char* kLibraryEvents[wire::kLibraries] = {
    "CublasEvents", "CudnnEvents", "CusolverEvents", "CusparseEvents", "NcclEvents"};

constexpr const char* word(bool value) { return value ? "true" : "false"; }

std::string joined(const std::vector<std::string>& words, const char* separator) {
  std::string text;
  for (const std::string& each : words) text += (text.empty() ? "" : separator) + each;
  return text;
}

void add_event_type(MetadataRows& rows, bool is_traced, const char* type) {
  if (is_traced) rows.emplace_back("CAPTURE_EVENT_TYPE", type);
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

void add_event_types(MetadataRows& rows, const SessionOptions& options) {
  add_event_type(rows, options.has(wire::kFeatureOsrt), "OSRuntime");
  add_event_type(rows, options.has(wire::kFeatureNvtx), "NvtxEvents");
  add_event_type(rows, options.has(wire::kFeatureCuda), "CudaEvents");
  add_event_type(rows, options.trace_system_calls, "Syscall");
  add_sampling(rows, options.cpu);
  if (options.python.samples)
    rows.emplace_back("PYTHON_SAMPLING_OPTIONS:FREQUENCY",
                      std::to_string(options.python.frequency));
  for (std::uint32_t i = 0; i < wire::kLibraries; ++i)
    add_event_type(rows, options.has(wire::library_feature(i)), kLibraryEvents[i]);
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
  add("FILE_ACCESS", word(options.has(wire::kFeatureFileAccess)));
  add("BACKTRACE_THRESHOLD_NS", std::to_string(chains.osrt_threshold_ns));
  add("BACKTRACE_DEPTH",
      std::to_string(chains.osrt_depth.value_or(CallChainOptions::kDefaultOsrtDepth)));
  add("BACKTRACE_STACK_SIZE", std::to_string(chains.osrt_stack_bytes));
  rows.emplace_back("CUDA_OPTIONS:BACKTRACE", chains.cuda_words);
}

void add_process(MetadataRows& rows, const SessionOptions& options) {
  const auto add = [&rows](const char* name, const std::string& value) {
    rows.emplace_back(std::string("PROCESS_0:") + name, value);
  };
  const CudaOptions& cuda = options.cuda;
  add("HOW_TO_ATTACH", "LaunchAnother");
  add("COMMAND", joined(options.command, " "));
  add("WORKING_DIR", std::filesystem::current_path().string());
  add("COLLECT_NVTX_TRACE", word(options.has(wire::kFeatureNvtx)));
  add("COLLECT_CUDA_TRACE", word(options.has(wire::kFeatureCuda)));
  if (!options.has(wire::kFeatureCuda)) return;
  add("CUDA_FLUSH_PERIODICALLY", word(cuda.flush_interval != 0));
  add("CUDA_FLUSH_PERIOD", std::to_string(cuda.flush_interval));
  add("CUDA_SKIP_SOME_API_CALLS", word(!cuda.has(wire::kCudaAllApis)));
  add("CUDA_MEMORY_USAGE", word(cuda.has(wire::kCudaMemoryUsage)));
  add("CUDA_GRAPH_TRACE_OPTIONS:MODE", cuda.has(wire::kCudaGraphNodes) ? "Node" : "Graph");
  add("CUDA_FLUSH_ON_CUDA_PROFILER_STOP", word(cuda.has(wire::kCudaFlushOnProfilerStop)));
}

}  // namespace

MetadataRows capture_metadata(const SessionOptions& options) {
  MetadataRows rows;
  add_event_types(rows, options);
  add_triggers(rows, options.ranges);
  add_osrt(rows, options);
  add_process(rows, options);
  rows.emplace_back("INCLUDE_CHILDREN", "true");
  rows.emplace_back("NVTX_OPTIONS:NVTX_DOMAIN_FILTER_STRING", joined(options.nvtx.domains, ","));
  rows.emplace_back("NVTX_OPTIONS:NVTX_DOMAIN_FILTER_MODE_INCLUDE",
                    word(options.nvtx.filter == wire::NvtxFilter::kInclude));
  return rows;
}

}  // namespace prof::session
