#include "collector/metrics/nvml/gpu_processes.hpp"

#include <algorithm>
#include <fstream>

namespace prof::nvml {

namespace {

// Processes may start between the request for their number and the request for them.
constexpr int kTries = 3;

using List = Function<void(Device, unsigned*, ProcessInfo*)>;

std::vector<ProcessInfo> list(const Gpu& gpu, const List Library::*function) {
  const List& ask = (*gpu.library).*function;
  std::vector<ProcessInfo> processes(16);
  for (int i = 0; i < kTries; ++i) {
    auto count = static_cast<unsigned>(processes.size());
    const Return result = ask(gpu.device, &count, processes.data());
    if (result == Return::kSuccess) {
      processes.resize(std::min<std::size_t>(count, processes.size()));
      return processes;
    }
    if (result != Return::kInsufficientSize) break;
    processes.resize(count + 16);
  }
  return {};
}

void add(std::vector<GpuProcess>& to, const std::vector<ProcessInfo>& processes, bool computes) {
  for (const ProcessInfo& process : processes) {
    const double memory = process.used_memory == kUnknownMemory
                              ? metrics::kNoValue
                              : static_cast<double>(process.used_memory);
    const auto known = std::find_if(
        to.begin(), to.end(), [&](const GpuProcess& each) { return each.pid == process.pid; });
    if (known == to.end())
      to.push_back({process.pid, computes, memory, metrics::kNoValue, metrics::kNoValue,
                    metrics::kNoValue, metrics::kNoValue});
    else if (known->computes == computes)  // in MIG mode the parts of a GPU are listed one by one
      known->memory += memory;
  }
}

}  // namespace

// If a process has several samples, the newest counts.
void GpuProcesses::read_utilization(std::vector<GpuProcess>& processes) {
  unsigned count = 0;
  const auto& ask = gpu_.library->process_utilization;
  if (ask(gpu_.device, nullptr, &count, last_seen_) != Return::kInsufficientSize || count == 0)
    return;
  std::vector<ProcessUtilization> samples(count);
  if (ask(gpu_.device, samples.data(), &count, last_seen_) != Return::kSuccess) return;
  samples.resize(std::min<std::size_t>(count, samples.size()));
  std::sort(samples.begin(), samples.end(),
            [](const auto& a, const auto& b) { return a.time < b.time; });
  for (const ProcessUtilization& sample : samples) {
    last_seen_ = std::max(last_seen_, sample.time);
    const auto process = std::find_if(processes.begin(), processes.end(),
                                      [&](const auto& each) { return each.pid == sample.pid; });
    if (process == processes.end()) continue;
    process->sm = sample.sm;
    process->memory_busy = sample.memory;
    process->encoder = sample.encoder;
    process->decoder = sample.decoder;
  }
}

std::vector<GpuProcess> GpuProcesses::read() {
  std::vector<GpuProcess> processes;
  add(processes, list(gpu_, &Library::compute_processes), true);
  add(processes, list(gpu_, &Library::graphics_processes), false);
  if (!processes.empty()) read_utilization(processes);
  std::sort(processes.begin(), processes.end(),
            [](const GpuProcess& a, const GpuProcess& b) { return a.pid < b.pid; });
  return processes;
}

std::string process_name(unsigned pid, const std::string& proc) {
  const std::string folder = proc + "/" + std::to_string(pid);
  std::string name;
  std::ifstream command(folder + "/cmdline");
  std::getline(command, name, '\0');
  if (name.empty()) {
    std::ifstream kernel_name(folder + "/comm");
    std::getline(kernel_name, name);
    return name;
  }
  const std::size_t folder_end = name.find_last_of('/');
  return folder_end == std::string::npos ? name : name.substr(folder_end + 1);
}

}  // namespace prof::nvml
