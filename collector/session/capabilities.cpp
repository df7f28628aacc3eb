#include "collector/session/capabilities.hpp"

#include <unistd.h>

#include <filesystem>

#include "collector/ingest/clock_model.hpp"
#include "collector/session/injection_library.hpp"

namespace prof::session {

namespace {

Capability preload_capability(const std::string& name, const std::string& how) {
  const auto library = find_injection_library();
  return library ? Capability{name, true, how + " (" + *library + ")"}
                 : Capability{name, false, library.error().message};
}

Capability cuda_capability() {
  const bool driver = std::filesystem::exists("/proc/driver/nvidia/version") ||
                      std::filesystem::exists("/dev/nvidiactl");
#ifdef PROF_HAS_CUDA
  const bool can_trace = true;
#else
  const bool can_trace = false;
#endif
  if (!can_trace)
    return {"cuda", false, "this build of prof was made without the headers of CUDA and CUPTI"};
  // A program may bring a driver of its own along, so its absence is no reason not to try.
  return {"cuda", true,
          driver ? "by CUDA_INJECTION64_PATH, with the libcupti of the program or the toolkit"
                 : "by CUDA_INJECTION64_PATH; no NVIDIA GPU driver is installed on this machine"};
}

Capability clock_capability() {
  return ingest::tsc_is_reliable()
             ? Capability{"clock", true, "TSC"}
             : Capability{"clock", true,
                          "CLOCK_MONOTONIC_RAW, about 14 ns dearer a reading: the kernel does not "
                          "use the TSC here"};
}

}  // namespace

std::vector<Capability> capabilities() {
  return {preload_capability("osrt", "by LD_PRELOAD"),
          preload_capability("nvtx", "by NVTX_INJECTION64_PATH"), cuda_capability(),
          clock_capability()};
}

Capability capability(const std::string& name) {
  for (Capability& known : capabilities())
    if (known.name == name) return known;
  return {name, false, "unknown"};
}

}  // namespace prof::session
