#include "cli/options/cuda_options.hpp"

#include <cstring>
#include <filesystem>

#include "cli/failure.hpp"
#include "cli/verbs/verb.hpp"

namespace prof::cli {

void CudaOptions::define(CLI::App& app) {
  const std::string group = "CUDA";
  add_bool(app, "--cuda-memory-usage", memory_usage_,
           "Record allocations of GPU memory and memory pools")
      ->group(group);
  app.add_option("--cuda-graph-trace", graph_trace_,
                 "graph: a launch of a CUDA graph as a whole; node: each node (dearer). Behind a "
                 "colon: host-only, or host-and-device to trace graphs launched by the GPU too")
      ->check(CLI::IsMember({"graph", "graph:host-only", "graph:host-and-device", "node",
                             "node:host-only", "node:host-and-device"}))
      ->type_name("graph|node")
      ->capture_default_str()
      ->group(group);
  app.add_option("--cuda-event-trace", event_trace_,
                 "Record the CUDA events that are recorded into streams; auto does")
      ->check(CLI::IsMember({"auto", "true", "false"}))
      ->type_name("auto|true|false")
      ->capture_default_str()
      ->group(group);
  add_bool(app, "--cuda-um-cpu-page-faults", cpu_faults_,
           "Record page faults of the CPU on unified memory")
      ->group(group);
  add_bool(app, "--cuda-um-gpu-page-faults", gpu_faults_,
           "Record page faults of the GPU on unified memory")
      ->group(group);
  add_bool(app, "--cuda-trace-all-apis", all_apis_,
           "Record every CUDA API call, those that only ask for something too (dearer)")
      ->group(group);
  app.add_option("--cuda-flush-interval", flush_interval_,
                 "Fetch finished GPU records every so many ms; 0: when a buffer is full")
      ->type_name("MS")
      ->capture_default_str()
      ->group(group);
  app.add_option("--cuda-flush-timeout", flush_timeout_,
                 "How long the end of the program may wait for the last GPU records; 0: for ever")
      ->type_name("SECONDS")
      ->check(CLI::Range(0U, 86'400U))
      ->capture_default_str()
      ->group(group);
  add_bool(app, "--flush-on-cudaprofilerstop", flush_on_stop_,
           "Fetch all GPU records when the program calls cudaProfilerStop")
      ->group(group);
  app.add_option("--cupti-path", cupti_path_,
                 "The libcupti to use, instead of the program's own or the toolkit's")
      ->type_name("FILE")
      ->group(group);
  app.add_option("--cuda-injection", injection_,
                 "If CUDA_INJECTION64_PATH is already set: keep it (CUDA is not traced), or force "
                 "ours")
      ->check(CLI::IsMember({"keep", "force"}))
      ->type_name("keep|force")
      ->capture_default_str()
      ->group(group);
}

wire::CudaConfig CudaOptions::config(bool hardware_trace) const {
  wire::CudaConfig config{};
  const auto set = [&config](bool wanted, std::uint32_t flag) {
    if (wanted) config.flags |= flag;
  };
  set(memory_usage_, wire::kCudaMemoryUsage);
  set(graph_mode() == "node", wire::kCudaGraphNodes);
  set(graph_trace_.ends_with(":host-and-device"), wire::kCudaDeviceGraphs);
  set(event_trace_ != "false", wire::kCudaEvents);
  set(cpu_faults_, wire::kCudaUnifiedMemoryCpuFaults);
  set(gpu_faults_, wire::kCudaUnifiedMemoryGpuFaults);
  set(all_apis_, wire::kCudaAllApis);
  set(flush_on_stop_, wire::kCudaFlushOnProfilerStop);
  set(hardware_trace, wire::kCudaHardwareTrace);
  config.flush_interval = flush_interval_;
  config.flush_timeout = flush_timeout_;
  if (cupti_path_.empty()) return config;
  // The program may change its directory before it comes to CUDA.
  const std::string path = std::filesystem::absolute(cupti_path_).string();
  if (!std::filesystem::exists(path)) throw Failure("no libcupti at " + path, kBadUsage);
  if (path.size() >= sizeof config.cupti)
    throw Failure("the path given with --cupti-path is too long", kBadUsage);
  std::memcpy(config.cupti, path.c_str(), path.size() + 1);
  return config;
}

}  // namespace prof::cli
