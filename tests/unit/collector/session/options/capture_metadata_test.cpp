#include "collector/session/options/capture_metadata.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

namespace prof::session {
namespace {

TEST(CaptureMetadata, OfTheDefaults) {
  SessionOptions options;
  options.command = {"app", "a b"};
  const MetadataRows expected{{"CAPTURE_EVENT_TYPE", "OSRuntime"},
                              {"CAPTURE_EVENT_TYPE", "NvtxEvents"},
                              {"CAPTURE_EVENT_TYPE", "Cuda"},
                              {"CAPTURE_EVENT_TYPE", "SamplingEvents"},
                              {"SAMPLING_OPTIONS:SCOPE", "process-tree"},
                              {"SAMPLING_OPTIONS:BACKTRACE", "auto"},
                              {"SAMPLING_OPTIONS:FREQUENCY", "250"},
                              {"PYTHON_SAMPLING_OPTIONS:FREQUENCY", "250"},
                              {"START_TRIGGER", "Immediate"},
                              {"STOP_TRIGGER", "Delayed"},
                              {"OS_RUNTIME_OPTIONS:DURATION_THRESHOLD_NS", "1000"},
                              {"OS_RUNTIME_OPTIONS:COLLECT_BACKTRACES", "true"},
                              {"OS_RUNTIME_OPTIONS:BACKTRACES_THRESHOLD_NS", "80000"},
                              {"OS_RUNTIME_OPTIONS:FILE_ACCESS", "false"},
                              {"OS_RUNTIME_OPTIONS:BACKTRACES_DEPTH", "24"},
                              {"OS_RUNTIME_OPTIONS:BACKTRACES_STACK_SIZE", "6144"},
                              {"CUDA_OPTIONS:BACKTRACE", "none"},
                              {"PROCESS_0:HOW_TO_ATTACH", "LaunchAnother"},
                              {"PROCESS_0:COMMAND", "app"},
                              {"PROCESS_0:ARGUMENT_0", "a b"},
                              {"PROCESS_0:WORKING_DIR", std::filesystem::current_path().string()},
                              {"PROCESS_0:COLLECT_NVTX_TRACE", "true"},
                              {"PROCESS_0:COLLECT_CUDA_TRACE", "true"},
                              {"PROCESS_0:CUDA_FLUSH_PERIODICALLY", "true"},
                              {"PROCESS_0:CUDA_FLUSH_PERIOD", "500"},
                              {"PROCESS_0:CUDA_SKIP_SOME_API_CALLS", "true"},
                              {"PROCESS_0:COLLECT_GPU_MEMORY_USAGE", "false"},
                              {"PROCESS_0:COLLECT_UVM_CPU_PAGE_FAULTS", "false"},
                              {"PROCESS_0:COLLECT_UVM_GPU_PAGE_FAULTS", "false"},
                              {"PROCESS_0:CUDA_GRAPH_TRACE_OPTIONS:MODE", "Graph"},
                              {"PROCESS_0:CUDA_FLUSH_ON_CUDA_PROFILER_STOP", "true"},
                              {"INCLUDE_CHILDREN", "true"},
                              {"LINUX_PERF_OPTIONS:COLLECT_CPU_CTXSW_TRACE", "true"},
                              {"LINUX_PERF_OPTIONS:SAMPLING_PERIOD", "4000000"},
                              {"LINUX_PERF_OPTIONS:COLLECT_IP_BACKTRACE_SAMPLES", "true"},
                              {"LINUX_PERF_OPTIONS:SAMPLES_PER_BACKTRACE", "1"},
                              {"LINUX_PERF_OPTIONS:COLLECTION_MODE", "ProcessTree"},
                              {"LINUX_PERF_OPTIONS:CPU_IP_TRIGGER_TYPE", "Software"},
                              {"NVTX_OPTIONS:NVTX_DOMAIN_FILTER_STRING", ""},
                              {"NVTX_OPTIONS:NVTX_DOMAIN_FILTER_MODE_INCLUDE", "false"}};
  EXPECT_EQ(capture_metadata(options), expected);
}

TEST(CaptureMetadata, OfOtherEvents) {
  SessionOptions options;
  options.features = wire::library_feature(0) | wire::library_feature(4);
  options.trace_system_calls = true;
  options.cpu.samples = sampler::Scope::kProcessTree;
  options.cpu.scope_word = "cpu";
  options.cpu.period = 20'000;
  options.python.samples_chosen = true;
  options.ranges.enabled = true;
  const MetadataRows rows = capture_metadata(options);
  const MetadataRows expected{
      {"CAPTURE_EVENT_TYPE", "Syscall"},      {"CAPTURE_EVENT_TYPE", "SamplingEvents"},
      {"SAMPLING_OPTIONS:SCOPE", "cpu"},      {"SAMPLING_OPTIONS:BACKTRACE", "auto"},
      {"SAMPLING_OPTIONS:PERIOD", "20000"},   {"PYTHON_SAMPLING_OPTIONS:FREQUENCY", "1000"},
      {"CAPTURE_EVENT_TYPE", "CublasEvents"}, {"CAPTURE_EVENT_TYPE", "NcclEvents"},
      {"START_TRIGGER", "NvtxRange"}};
  EXPECT_EQ(MetadataRows(rows.begin(), rows.begin() + 9), expected);
}

TEST(CaptureMetadata, OfSamplesAsNsysHasThem) {
  SessionOptions options;
  options.command = {"app"};
  options.cpu.frequency = 500;
  const MetadataRows rows = capture_metadata(options);
  for (const auto& [name, value] : MetadataRows{{"COLLECT_CPU_CTXSW_TRACE", "true"},
                                                {"SAMPLING_PERIOD", "2000000"},
                                                {"COLLECT_IP_BACKTRACE_SAMPLES", "true"},
                                                {"SAMPLES_PER_BACKTRACE", "1"},
                                                {"COLLECTION_MODE", "ProcessTree"},
                                                {"CPU_IP_TRIGGER_TYPE", "Software"}})
    EXPECT_EQ(std::ranges::count(rows, std::pair("LINUX_PERF_OPTIONS:" + name, value)), 1) << name;
}

}  // namespace
}  // namespace prof::session
