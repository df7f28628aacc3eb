// What `prof profile` was asked to do.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "collector/sampler/cpu_options.hpp"
#include "injection/wire/handshake.hpp"

namespace prof::session {

enum class Wait { kPrimary, kAll };

// Record only inside of ranges of the program's (--capture-range).
struct CaptureRanges {
  bool enabled = false;
  wire::CaptureConfig config{};
  std::uint32_t count = 0xffffffff;  // ranges that are recorded
  bool numbered = false;             // each range gets a report with a number
  bool shutdown = false;             // the session ends with the last of them
  int kill_signal = 0;               // what the program gets then; 0: it is left alone
};

// Native call chains of events.
struct EventStackOptions {
  bool osrt = false;                // of OS-runtime calls of at least osrt_chain_threshold_ns
  std::uint32_t osrt_depth = 24;    // frames
  std::uint32_t osrt_bytes = 6144;  // of stack
  // Of CUDA calls of at least so many ns, by kind.
  std::optional<std::uint64_t> cuda_thresholds_ns[wire::kCudaCallKinds];

  bool cuda() const {
    return std::ranges::any_of(cuda_thresholds_ns, [](const auto& each) { return !!each; });
  }
};

struct SessionOptions {
  std::vector<std::string> command;  // program and arguments
  std::string output;                // path of the report; "%p" becomes the target's pid
  bool overwrite = false;            // an existing report
  bool trace_osrt = true;
  bool trace_nvtx = true;
  bool trace_cuda = false;
  bool trace_system_calls = false;
  sampler::CpuOptions cpu;      // samples and scheduling
  std::uint32_t libraries = 0;  // traced ones: bit of each wire::Library
  wire::CudaConfig cuda{};
  CaptureRanges ranges;
  std::uint64_t osrt_threshold_ns = 1000;
  EventStackOptions stacks;
  bool python_cuda_chains = false;  // Python's call chains of CUDA calls
  bool python_osrt_chains = false;  // of OS-runtime calls that last at least:
  std::uint64_t osrt_chain_threshold_ns = 80'000;
  bool python_gil = false;             // when threads wait for Python's lock and hold it
  std::string python_annotations;      // see wire::kPythonAnnotationsName; empty: none
  std::uint32_t python_frequency = 0;  // samples of Python threads in a second; 0: none
  std::uint64_t buffer_bytes = 0;  // most shared memory for events; 0: what the machine can spare
  bool osrt_file_access = false;
  wire::NvtxFilter nvtx_filter = wire::NvtxFilter::kNone;
  std::vector<std::string> nvtx_domains;
  std::vector<std::pair<std::string, std::string>> environment;  // set for the target
  bool inherit_environment = true;
  bool repair_environment = true;  // keep children traced that drop our variables
  bool trace_forks = true;         // children of fork before, or without, an exec
  bool show_output = true;
  Wait wait = Wait::kAll;
  std::vector<std::string> warnings;  // to print when the program starts, and to keep in the report
  std::string version;                // of prof, for the report
  std::vector<std::pair<std::string, std::string>>
      capture;  // options as META_DATA_CAPTURE shows them
};

}  // namespace prof::session
