#include "cli/options/cuda_options.hpp"

#include <bit>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <system_error>

#include "cli/messages/failure.hpp"
#include "cli/options/option_kinds.hpp"
#include "cli/options/words/nsys_options.hpp"
#include "collector/session/launch/capabilities.hpp"

namespace prof::cli {

namespace {

constexpr const char* kCudaGroup = "CUDA";

// Parses "node:host-only:nvtx-live". The parts may have any order.
void take_graph_trace(const std::string& word, session::SessionOptions& options) {
  constexpr char kName[] = "--cuda-graph-trace";
  std::uint32_t flags = 0;
  bool has_granularity = false;
  std::istringstream parts(word);
  for (std::string part; std::getline(parts, part, ':');) {
    if (part == "graph" || part == "node") {
      has_granularity = true;
      if (part == "node") flags |= wire::kCudaGraphNodes;
    } else if (part == "host-and-device") {
      flags |= wire::kCudaDeviceGraphs;
    } else if (const char* note = find_nsys_value(kName, part)) {
      if (*note != '\0') options.warnings.push_back(note_on_value(kName, part));
    } else if (part != "host-only") {
      has_granularity = false;
      break;
    }
  }
  if (!has_granularity)
    throw Failure(std::string(kName) + ' ' + word +
                      ": write graph or node, and after a colon host-only or host-and-device",
                  kBadUsage);
  constexpr std::uint32_t kMask = wire::kCudaGraphNodes | wire::kCudaDeviceGraphs;
  options.cuda.flags = (options.cuda.flags & ~kMask) | flags;
}

void add_graph_trace(CLI::App& app, session::SessionOptions& options) {
  add_parsed(
      app, "--cuda-graph-trace",
      [&options](const std::string& word) { take_graph_trace(word, options); },
      "graph: record each launch of a CUDA graph as one event. node: record each node "
      "(higher overhead). Append :host-and-device to trace also graphs that the GPU "
      "launches, or :host-only (the default)")
      ->type_name("graph|node")
      ->default_str("graph")
      ->group(kCudaGroup);
}

void add_events(CLI::App& app, session::CudaOptions& options) {
  add_bool(app, "--cuda-memory-usage", options.flags, wire::kCudaMemoryUsage,
           "Record allocations of GPU memory and memory pools")
      ->group(kCudaGroup);
  add_choice(app, "--cuda-event-trace", options.flags, wire::kCudaEvents,
             {{"auto", wire::kCudaEvents}, {"true", wire::kCudaEvents}, {"false", 0}},
             "Record when CUDA events are recorded into streams. auto is true")
      ->type_name("auto|true|false")
      ->group(kCudaGroup);
  add_bool(
      app, "--gpuctxsw", options.flags, wire::kCudaContextSwitches,
      "Record when GPUs begin and end to work for the program's contexts. It needs libcupti of "
      "CUDA 13.1 or later")
      ->group(kCudaGroup);
  add_bool(app, "--cuda-um-cpu-page-faults", options.flags, wire::kCudaUnifiedMemoryCpuFaults,
           "Record page faults of the CPU on unified memory")
      ->group(kCudaGroup);
  add_bool(app, "--cuda-um-gpu-page-faults", options.flags, wire::kCudaUnifiedMemoryGpuFaults,
           "Record page faults of the GPU on unified memory")
      ->group(kCudaGroup);
  add_bool(app, "--cuda-trace-all-apis", options.flags, wire::kCudaAllApis,
           "Record every CUDA API call, including calls that only query something (higher "
           "overhead)")
      ->group(kCudaGroup);
}

// Takes a power of two of cycles, or its exponent. No period is shorter than 32 cycles, so a
// smaller number is an exponent.
std::uint32_t parse_period(const std::string& text) {
  constexpr std::uint32_t kShortest = 5;
  constexpr std::uint32_t kLongest = 31;
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, number);
  const bool is_cycles = number > kLongest;
  const auto exponent =
      static_cast<std::uint32_t>(is_cycles ? std::countr_zero(number) : static_cast<int>(number));
  if (error != std::errc() || at != end || (is_cycles && !std::has_single_bit(number)) ||
      exponent < kShortest || exponent > kLongest)
    throw Failure("--pc-sampling=" + text +
                      ": write none, a period in cycles of the GPU (a power of two from 32 to "
                      "2147483648), or its exponent (5 to 31)",
                  kBadUsage);
  return exponent;
}

void add_flushes(CLI::App& app, session::CudaOptions& options) {
  app.add_option("--cuda-flush-interval", options.flush_interval,
                 "Fetch finished GPU records every MS milliseconds (0: when a buffer is full)")
      ->type_name("MS")
      ->capture_default_str()
      ->group(kCudaGroup);
  app.add_option("--cuda-flush-timeout", options.flush_timeout,
                 "How long to wait at program exit for the last GPU records (0: no limit)")
      ->type_name("SECONDS")
      ->check(CLI::Range(0U, 86'400U))
      ->capture_default_str()
      ->group(kCudaGroup);
  add_bool(app, "--flush-on-cudaprofilerstop", options.flags, wire::kCudaFlushOnProfilerStop,
           "Fetch all GPU records when the program calls cudaProfilerStop")
      ->group(kCudaGroup);
}

// Returns the absolute path, because the program may change its directory before it initialises
// CUDA.
std::string path_of_cupti(const std::string& given) {
  std::string path = std::filesystem::absolute(given).string();
  if (!std::filesystem::exists(path)) throw Failure("no libcupti at " + path, kBadUsage);
  if (path.size() >= sizeof(wire::CudaConfig::cupti))
    throw Failure("the path given with --cupti-path is too long", kBadUsage);
  return path;
}

}  // namespace

void add_cuda_options(CLI::App& app, session::SessionOptions& session) {
  session::CudaOptions& options = session.cuda;
  add_graph_trace(app, session);
  add_events(app, options);
  add_flushes(app, options);
  app.add_option("--cupti-path", options.cupti,
                 "The libcupti to use instead of the program's own or the toolkit's")
      ->type_name("FILE")
      ->group(kCudaGroup);
  add_choice(app, "--cupti-subscribers", options.flags, wire::kCudaSeveralSubscribers,
             {{"one", 0}, {"several", wire::kCudaSeveralSubscribers}},
             "How profilers in the program use CUPTI beside prof. one: prof is the only subscriber "
             "and passes records on. several: each has a subscriber of CUPTI (13.4 and later)")
      ->type_name("one|several")
      ->group(kCudaGroup);
  using session::CudaInjection;
  add_choice(app, "--cuda-injection", options.injection,
             {{"keep", CudaInjection::kKeep},
              {"force", CudaInjection::kReplace},
              {"alone", CudaInjection::kAlone}},
             "If CUDA_INJECTION64_PATH is already set: keep it (CUDA is not traced), or replace "
             "it (force). alone: do not share CUPTI with profilers in the program")
      ->type_name("keep|force|alone")
      ->group(kCudaGroup);
}

void add_pc_sampling_options(CLI::App& app, session::SessionOptions& session) {
  session::CudaOptions& options = session.cuda;
  constexpr std::uint32_t kUsualPeriod = 20;  // a power of two
  add_parsed(
      app, "--pc-sampling",
      [&options](const std::string& text) {
        options.pc_sampling = text.empty() ? kUsualPeriod : text == "none" ? 0 : parse_period(text);
      },
      "Sample the instructions that GPUs execute, and what they wait for. Each multiprocessor "
      "takes a sample in PERIOD cycles: a power of two, or its exponent. Without a value: 20, "
      "which is 1048576 cycles")
      ->expected(0, 1)
      ->type_name("none|PERIOD")
      ->group(kCudaGroup);
  using wire::CudaCubins;
  add_choice(
      app, "--cubins", options.cubins,
      {{"none", CudaCubins::kNone}, {"used", CudaCubins::kUsed}, {"all", CudaCubins::kAll}},
      "Which code of the GPU the report has with --pc-sampling: that with samples (used), all "
      "that the program loads, or none. Source lines need it")
      ->type_name("none|used|all")
      ->group(kCudaGroup);
}

void resolve_cuda(session::SessionOptions& options) {
  if (options.cuda.pc_sampling != 0 && !options.has(wire::kFeatureCuda))
    throw Failure("--pc-sampling needs cuda in --trace", kBadUsage);
  if (!options.has(wire::kFeatureCuda)) return;
  if (!options.cuda.cupti.empty()) options.cuda.cupti = path_of_cupti(options.cuda.cupti);
  if (options.cuda.injection == session::CudaInjection::kAlone)
    options.cuda.flags |= wire::kCudaAlone;
  const char* other = std::getenv("CUDA_INJECTION64_PATH");
  if (!session::can_trace_cuda())
    options.warnings.push_back("CUDA is not traced: " + session::cuda_capability().detail);
  else if (other != nullptr && *other != '\0' &&
           options.cuda.injection != session::CudaInjection::kReplace)
    options.warnings.push_back(
        "CUDA is not traced: CUDA_INJECTION64_PATH is set to another tool's library. "
        "Use --cuda-injection=force to replace it.");
  else
    return;
  options.features &= ~wire::kFeatureCuda;
}

}  // namespace prof::cli
