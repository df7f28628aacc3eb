#include "collector/session/launch/capabilities.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "collector/sampler/cpu_events.hpp"
#include "collector/sampler/cpu_timers.hpp"
#include "collector/sampler/tracepoints/system_calls.hpp"
#include "collector/session/launch/injection_library.hpp"
#include "collector/spool/clock_model.hpp"
#include "common/wire/libraries.hpp"
#include "common/wire/machine/machine.hpp"

namespace prof::session {

namespace {

Capability preload_capability(const std::string& name, const std::string& how) {
  const auto library = find_injection_library();
  return library ? Capability{name, true, how + " (" + *library + ")"}
                 : Capability{name, false, library.error().message};
}

// Returns the capability that a preload library beside the injection library provides.
Capability library_capability(std::uint32_t library) {
  const std::string name = wire::kLibraryNames[library];
  const auto injection = find_injection_library();
  if (!injection) return {name, false, injection.error().message};
  const auto tracer = find_library_tracer(*injection, library);
  return tracer ? Capability{name, true, "by LD_PRELOAD (" + *tracer + ")"}
                : Capability{name, false, tracer.error().message};
}

// Returns how samples are taken: by the kernel, or else by timers in the program. Timers work for
// the process tree only.
Capability sampling_capability(const std::string& name, sampler::Scope scope) {
  const std::string obstacle = sampler::CpuEvents::obstacle(scope);
  if (obstacle.empty())
    return {name, true,
            sampler::CpuEvents::sees_kernel(scope)
                ? "by the kernel (perf_event_open)"
                : "by the kernel (perf_event_open), without the time spent in the kernel, because "
                  "kernel.perf_event_paranoid is above 1"};
  if (scope != sampler::Scope::kProcessTree) return {name, false, obstacle};
  if (const std::string other = sampler::timers_obstacle(); !other.empty())
    return {name, false, obstacle + "; and " + other};
  return {name, true,
          fmt::format("by timers in the program with --sample=process-tree, at most {} samples per "
                      "second, without context switches and kernel frames: {}",
                      1'000'000'000 / sampler::kernel_tick(), obstacle)};
}

Capability clock_capability() {
  return spool::tsc_is_reliable()
             ? Capability{"clock", true, wire::kTickName}
             : Capability{"clock", true,
                          fmt::format("CLOCK_MONOTONIC_RAW, because the kernel does not use the {} "
                                      "here; a reading takes about 14 ns more",
                                      wire::kTickName)};
}

}  // namespace

bool can_trace_cuda() {
#ifdef PROF_HAS_CUDA
  return true;
#else
  return false;
#endif
}

Capability cuda_capability() {
  if (!can_trace_cuda())
    return {"cuda", false, "this build of prof was made without the headers of CUDA and CUPTI"};
  for (const char* driver : {"/proc/driver/nvidia/version", "/dev/nvidiactl", "/dev/dxg"})
    if (std::filesystem::exists(driver))
      return {"cuda", true,
              "by CUDA_INJECTION64_PATH, with the libcupti of the program or the toolkit"};
  return {
      "cuda", false,
      "no NVIDIA GPU driver is installed on this machine; a program with a driver of its own is "
      "traced"};
}

bool can_trace_vulkan() {
#ifdef PROF_HAS_VULKAN
  return true;
#else
  return false;
#endif
}

Capability vulkan_capability() {
  if (!can_trace_vulkan())
    return {"vulkan", false, "this build of prof was made without the headers of Vulkan"};
  const auto injection = find_injection_library();
  if (!injection) return {"vulkan", false, injection.error().message};
  const auto layer = find_vulkan_layer(*injection);
  return layer ? Capability{"vulkan", true, "by a layer of the Vulkan loader (" + *layer + ")"}
               : Capability{"vulkan", false, layer.error().message};
}

Capability system_call_capability() {
  const std::string obstacle = sampler::SystemCalls::obstacle();
  return obstacle.empty() ? Capability{"syscall", true, "by the kernel (perf_event_open)"}
                          : Capability{"syscall", false, obstacle};
}

std::vector<Capability> capabilities() {
  std::vector<Capability> list = {preload_capability("osrt", "by LD_PRELOAD"),
                                  preload_capability("nvtx", "by NVTX_INJECTION64_PATH"),
                                  cuda_capability()};
  for (std::uint32_t i = 0; i < wire::kLibraries; ++i) list.push_back(library_capability(i));
  list.push_back(vulkan_capability());
  list.push_back(system_call_capability());
  list.push_back(sampling_capability("sampling", sampler::Scope::kProcessTree));
  list.push_back(sampling_capability("sampling-system-wide", sampler::Scope::kSystem));
  list.push_back(clock_capability());
  return list;
}

}  // namespace prof::session
