// The options of `prof profile`: plain structs that the command line fills.
//
// An option that only the collector reads is a field here. A boolean option that the target reads
// is a bit of the wire format (wire::kFeature..., wire::kCuda...): the command line sets that bit
// in `features` or in `cuda.flags`, and the target reads the same bit. No code in between names it.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "collector/metrics/gpu/options.hpp"
#include "collector/metrics/plugins/catalog.hpp"
#include "collector/prometheus/listen_address.hpp"
#include "collector/sampler/cpu_options.hpp"
#include "collector/session/flight/flight_options.hpp"
#include "collector/session/options/trigger.hpp"
#include "common/wire/chunk.hpp"
#include "common/wire/handshake.hpp"

namespace prof::session {

enum class Wait { kPrimary, kAll };

// The time to record, if not from the program's start to its end.
struct TimeOptions {
  std::chrono::nanoseconds delay{0};
  std::optional<std::chrono::nanoseconds> duration;
  Trigger start_on;
  Trigger stop_on;
  std::string job;  // folder through which prof start and prof stop begin and end it; empty: none
  // Collections begin and end on demand while the programs run (prof start, prof stop).
  bool on_demand = false;

  bool is_any() const {
    return on_demand || delay.count() != 0 || duration.has_value() || start_on.is_set() ||
           stop_on.is_set() || !job.empty();
  }
};

struct NvtxOptions {
  wire::NvtxFilter filter = wire::NvtxFilter::kNone;
  std::vector<std::string> domains;  // the domains that the filter includes or excludes
};

// How prof treats CUPTI's other users. kKeep: another tool's library in CUDA_INJECTION64_PATH stays
// there. kReplace: it is replaced. kAlone: as kKeep, and libraries of the program get CUPTI's error
// for a second subscriber.
enum class CudaInjection { kKeep, kReplace, kAlone };

struct CudaOptions {
  // Bits wire::kCuda...
  std::uint32_t flags =
      wire::kCudaEvents | wire::kCudaFlushOnProfilerStop | wire::kCudaHardwareTrace;
  std::uint32_t flush_interval = 500;  // ms; 0: when a buffer is full
  std::uint32_t flush_timeout = 10;    // s; 0: no limit
  std::uint32_t pc_sampling = 0;       // period of PC samples, a power of two of cycles; 0: none
  wire::CudaCubins cubins = wire::CudaCubins::kUsed;
  std::string cupti;  // absolute path of libcupti; empty: search
  CudaInjection injection = CudaInjection::kKeep;

  bool has(std::uint32_t flag) const { return (flags & flag) != 0; }
};

// Samples per second, of CPUs and of Python. The default is low, so that samples cost every program
// little.
constexpr std::uint32_t kDefaultFrequency = 250;
constexpr std::uint32_t kChosenFrequency = 1000;

// CPU samples and context switches. By default both are recorded for the process tree, where the
// kernel allows it.
struct SamplingOptions : sampler::CpuOptions {
  SamplingOptions() {
    samples = switches = sampler::Scope::kProcessTree;
    frequency = kDefaultFrequency;
  }

  // True if the user chose samples; false: they are on by default. If they are not possible, stderr
  // says so if they were chosen, else only the report does. Timers in the program replace only
  // chosen samples.
  bool samples_chosen = false;
  bool switches_chosen = false;
  std::optional<std::uint32_t> given_frequency;
  std::string scope_word = "process-tree";  // as the user wrote it, for META_DATA_CAPTURE
  std::string backtrace_word = "auto";
};

// Call chains of OS-runtime and CUDA API calls.
struct CallChainOptions {
  static constexpr std::uint32_t kDefaultOsrtDepth = 24;

  // The shortest OS-runtime call with a call chain, native or of Python.
  std::uint64_t osrt_threshold_ns = 80'000;
  std::optional<std::uint32_t> osrt_depth;  // frames; not set: some, if samples are on
  std::uint32_t osrt_stack_bytes = 6144;    // maximum size of a stack copy
  // By wire::CudaCallKind: the shortest CUDA API call with a native call chain; empty: no chains
  // for this kind.
  std::optional<std::uint64_t> cuda_thresholds_ns[wire::kCudaCallKinds];
  std::string cuda_words = "none";  // as the user wrote the thresholds, for META_DATA_CAPTURE

  bool cuda() const {
    return std::ranges::any_of(cuda_thresholds_ns, [](const auto& each) { return !!each; });
  }
};

// Events of the kernel's tracepoints, on the whole system.
struct TracepointOptions {
  std::vector<std::string> names;  // "sched/sched_switch", or "sched/*" for all of a subsystem
  bool adds_enabled = false;       // also those that are enabled in ftrace

  bool is_any() const { return !names.empty() || adds_enabled; }
};

struct PythonOptions {
  std::string functions_file;    // JSON file: functions to show as NVTX ranges; empty: none
  std::string pytorch = "none";  // what to show of PyTorch
  bool marks_steps = false;      // a range for each step of training
  bool marks_garbage = false;    // a range for each collection of garbage
  std::string annotations;       // these options, as wire::kPythonAnnotationsName; empty: none
  bool samples = true;           // call chains of Python threads, if there are any
  bool samples_chosen = false;   // as in SamplingOptions
  std::optional<std::uint32_t> given_frequency;

  std::uint32_t samples_per_second() const {
    const std::uint32_t usual = samples_chosen ? kChosenFrequency : kDefaultFrequency;
    return samples ? given_frequency.value_or(usual) : 0;
  }
};

// prof start --at-step: the steps to record, of which CaptureRangeOptions has the range.
struct StepRequest {
  std::uint64_t first = 0;
  std::uint64_t multiple = 0;  // not 0: `first` is the next multiple of this number
  std::uint64_t count = 0;     // 0: until the collection ends

  std::uint64_t last() const { return count == 0 ? UINT64_MAX : first + count - 1; }
  // Chooses `first`. The program begins step number `earliest` next, or has begun it soon.
  void choose(std::uint64_t earliest) {
    if (multiple != 0) first = (earliest + multiple - 1) / multiple * multiple;
  }
};

// Record only inside ranges that the program marks.
struct CaptureRangeOptions {
  bool enabled = false;
  bool cuda_profiler_api = false;  // from cudaProfilerStart to cudaProfilerStop
  bool by_nvtx = false;            // from the begin to the end of an NVTX range
  std::string nvtx_range;          // text of the range; empty: none
  std::string nvtx_domain;         // domain of the range; empty: the default domain; "*": any
  std::vector<wire::StepWindow> windows;  // which ranges; none: each range
  std::uint32_t first_frame = 0;          // of a graphics program, from 1; 0: frames do not matter
  std::uint32_t frames = 0;               // their number; 0: until the program ends
  bool counts_steps = false;              // they are counted while nobody collects, too
  std::optional<StepRequest> at_step;     // of prof start: one capture range with these steps
  bool open_ended = false;                // the range lasts until the program ends
  std::uint32_t count = 0xffffffff;       // maximum number of recorded ranges
  bool numbered = false;                  // each range gets a report with a number
  bool shutdown = false;                  // the session ends with the last range
  int kill_signal = 0;                    // signal that the program gets when prof ends it; 0: none

  // Bits wire::k...Trigger.
  std::uint32_t triggers() const {
    return (cuda_profiler_api ? wire::kCudaTrigger : 0) | (by_nvtx ? wire::kNvtxTrigger : 0) |
           (open_ended ? wire::kOpenEnded : 0) | (at_step ? wire::kStepTrigger : 0) |
           (first_frame != 0 ? wire::kFrameTrigger : 0);
  }
};

// Commands of the shell; empty: none.
struct HookOptions {
  std::string after_collection_start;
  std::string after_report_ready;
  std::chrono::milliseconds timeout = std::chrono::minutes(10);  // of each command; 0: no limit
};

struct SessionOptions {
  std::vector<std::string> command;  // the program and its arguments
  std::string output;                // path of the report; "%p" becomes the program's pid
  bool overwrite = false;            // replace an existing report
  // Bits wire::kFeature... that options switch. session_reply adds the bits that follow from
  // others.
  std::uint32_t features = wire::kFeatureCuda | wire::kFeatureNvtx | wire::kFeatureOsrt |
                           wire::kFeatureRepairEnvironment | wire::kFeatureForks;
  bool sends_ranks = true;  // processes report the variables of wire/rank_variables.hpp
  // Bits wire::kGraphics...
  std::uint32_t graphics = wire::kGraphicsVulkanIndividual | wire::kGraphicsOpenGlWorkloads;
  bool trace_system_calls = false;
  TracepointOptions tracepoints;
  std::uint64_t osrt_threshold_ns = 1000;  // shortest OS-runtime call recorded
  std::uint32_t max_overhead = 0;          // millionths, with wire::kFeatureThinning
  std::uint64_t buffer_bytes =
      0;  // maximum size of the event buffer; 0: what the machine can spare
  NvtxOptions nvtx;
  CudaOptions cuda;
  SamplingOptions cpu;
  CallChainOptions call_chains;
  PythonOptions python;
  metrics::GpuMetricsOptions gpu_metrics;
  std::string kernel_plan;  // of prof kernel, as wire::kKernelPlanName; empty: none
  CaptureRangeOptions ranges;
  std::vector<metrics::PluginRequest> plugins;  // counters that are sampled
  // Where the live metrics are served; not set: nowhere.
  std::optional<prometheus::ListenAddress> metrics_endpoint;
  TimeOptions time;
  FlightOptions flight;
  HookOptions hooks;
  std::vector<std::pair<std::string, std::string>> environment;  // added for the program
  bool inherit_environment = true;
  bool show_output = true;
  // Another user whose processes may join: root can attach to them.
  std::optional<uid_t> guest;
  bool stop_on_exit = true;  // a collection ends when the last program ends
  Wait wait = Wait::kAll;
  std::vector<std::string> warnings;  // printed when the program starts, and kept in the report
  std::string version;                // version of prof, for the report

  bool has(std::uint32_t feature) const { return (features & feature) != 0; }

  // Returns the number of frames of native call chains of OS-runtime calls; 0: none are recorded.
  std::uint32_t osrt_chain_depth() const {
    if (!has(wire::kFeatureOsrt)) return 0;
    const bool samples = cpu.samples != sampler::Scope::kNone;
    return call_chains.osrt_depth.value_or(samples ? CallChainOptions::kDefaultOsrtDepth : 0);
  }
  bool has_native_call_chains() const { return osrt_chain_depth() != 0 || call_chains.cuda(); }
  // True if the user chose native call chains. False if they come with the samples that are on by
  // default.
  bool native_call_chains_chosen() const {
    const bool with_samples = cpu.samples_chosen && cpu.samples != sampler::Scope::kNone;
    return call_chains.cuda() ||
           (osrt_chain_depth() != 0 && (call_chains.osrt_depth.has_value() || with_samples));
  }
};

}  // namespace prof::session
