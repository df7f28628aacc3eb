#include "cli/options/call_chain_options.hpp"

#include <charconv>
#include <optional>
#include <sstream>
#include <string_view>

#include "cli/failure.hpp"
#include "cli/verbs/verb.hpp"
#include "injection/wire/stack_records.hpp"

namespace prof::cli {

namespace {

constexpr std::uint32_t kDefaultOsrtDepth = 24;
constexpr std::uint32_t kMostOsrtStackBytes = 32 * 1024;  // nsys's
constexpr std::uint64_t kDefaultCudaThreshold = 80'000;

// By wire::CudaCallKind.
constexpr std::string_view kCudaKinds[wire::kCudaCallKinds] = {"kernel", "memory", "sync", "other"};

[[noreturn]] void refuse(const std::string& list) {
  throw Failure("--cudabacktrace " + list +
                    ": write all, none, or some of kernel, memory, sync and other, each with a "
                    "threshold in ns behind a colon, if you like",
                kBadUsage);
}

// "sync:500"
std::uint64_t take_threshold(std::string& kind, const std::string& list) {
  const std::size_t colon = kind.find(':');
  if (colon == std::string::npos) return kDefaultCudaThreshold;
  std::uint64_t threshold = 0;
  const char* end = kind.data() + kind.size();
  const auto [stop, error] = std::from_chars(kind.data() + colon + 1, end, threshold);
  if (error != std::errc{} || stop != end) refuse(list);
  kind.resize(colon);
  return threshold;
}

using Thresholds = std::optional<std::uint64_t> (&)[wire::kCudaCallKinds];

void parse_cuda(const std::string& list, Thresholds thresholds) {
  std::istringstream items(list);
  bool none = false, any = false;
  for (std::string item; std::getline(items, item, ',');) {
    if (item == "none" || item == "false") {  // nsys takes both
      none = true;
      continue;
    }
    const std::uint64_t threshold = take_threshold(item, list);
    bool known = false;
    for (std::size_t i = 0; i < wire::kCudaCallKinds; ++i) {
      if (item != "all" && item != "true" && item != kCudaKinds[i]) continue;
      thresholds[i] = threshold;
      known = any = true;
    }
    if (!known) refuse(list);
  }
  if (none == any) refuse(list);
}

}  // namespace

void BacktraceOptions::define(CLI::App& app) {
  const std::string group = "Call chains";
  app.add_option("--osrt-backtrace-threshold", osrt_threshold_,
                 "Record the call chain of OS-runtime calls that take at least so many ns")
      ->type_name("NS")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str()
      ->group(group);
  app.add_option("--osrt-backtrace-depth", osrt_depth_,
                 "Most frames of such a chain; 0: no native call chains. By default 24 with "
                 "--sample, else 0")
      ->type_name("FRAMES")
      ->check(CLI::Range(0U, 512U))
      ->group(group);
  app.add_option("--osrt-backtrace-stack-size", osrt_stack_bytes_,
                 "Most bytes of stack that are copied for it, 256 to 32768")
      ->type_name("BYTES")
      ->check(CLI::Range(256U, kMostOsrtStackBytes))
      ->capture_default_str()
      ->group(group);
  app.add_option("--cudabacktrace", cuda_,
                 "Record the call chain of CUDA API calls of these kinds that take at least 80000 "
                 "ns, or as many as stand behind a colon: kernel:500,sync")
      ->type_name("all|none|kernel|memory|sync|other[:NS]")
      ->capture_default_str()
      ->group(group);
}

void BacktraceOptions::apply(session::SessionOptions& options) const {
  options.osrt_chain_threshold_ns = osrt_threshold_;
  const bool samples = options.cpu.samples != sampler::Scope::kNone;
  options.stacks.osrt_depth = osrt_depth_.value_or(samples ? kDefaultOsrtDepth : 0);
  options.stacks.osrt = options.trace_osrt && options.stacks.osrt_depth != 0;
  options.stacks.osrt_bytes = osrt_stack_bytes_ & ~(wire::kRecordAlignment - 1);
  parse_cuda(cuda_, options.stacks.cuda_thresholds_ns);
  if (!options.stacks.cuda() || options.trace_cuda) return;
  options.warnings.push_back("No call chains of CUDA calls: CUDA is not traced (-t cuda)");
  for (auto& each : options.stacks.cuda_thresholds_ns) each.reset();
}

void BacktraceOptions::describe(std::vector<std::pair<std::string, std::string>>& rows) const {
  rows.emplace_back("OS_RUNTIME_OPTIONS:BACKTRACE_THRESHOLD_NS", std::to_string(osrt_threshold_));
  rows.emplace_back("OS_RUNTIME_OPTIONS:BACKTRACE_DEPTH",
                    std::to_string(osrt_depth_.value_or(kDefaultOsrtDepth)));
  rows.emplace_back("OS_RUNTIME_OPTIONS:BACKTRACE_STACK_SIZE", std::to_string(osrt_stack_bytes_));
  rows.emplace_back("CUDA_OPTIONS:BACKTRACE", cuda_);
}

}  // namespace prof::cli
