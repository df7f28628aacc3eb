#include "cli/options/call_chain_options.hpp"

#include <charconv>
#include <sstream>
#include <string_view>

#include "cli/messages/failure.hpp"
#include "cli/options/option_kinds.hpp"

namespace prof::cli {

namespace {

constexpr const char* kCallChainGroup = "Call chains";
constexpr std::uint32_t kMaxOsrtStackBytes = 32 * 1024;  // the limit of nsys
constexpr std::uint64_t kDefaultCudaThreshold = 80'000;

// The words of the kinds, by wire::CudaCallKind.
constexpr std::string_view kCudaKinds[wire::kCudaCallKinds] = {"kernel", "memory", "sync", "other"};

[[noreturn]] void refuse_list(const std::string& list) {
  throw Failure("--cudabacktrace " + list +
                    ": write all, none, or some of kernel, memory, sync and other. A threshold in "
                    "ns can follow each after a colon",
                kBadUsage);
}

// Takes the threshold from the end of a word: "sync:500".
std::uint64_t take_threshold(std::string& kind, const std::string& list) {
  const std::size_t colon = kind.find(':');
  if (colon == std::string::npos) return kDefaultCudaThreshold;
  std::uint64_t threshold = 0;
  const char* end = kind.data() + kind.size();
  const auto [stop, error] = std::from_chars(kind.data() + colon + 1, end, threshold);
  if (error != std::errc{} || stop != end) refuse_list(list);
  kind.resize(colon);
  return threshold;
}

void parse_cuda(const std::string& list, session::CallChainOptions& options) {
  options.cuda_words = list;
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
      options.cuda_thresholds_ns[i] = threshold;
      known = any = true;
    }
    if (!known) refuse_list(list);
  }
  if (none == any) refuse_list(list);
}

}  // namespace

void add_call_chain_options(CLI::App& app, session::CallChainOptions& options) {
  add_nanoseconds(app, "--osrt-backtrace-threshold", options.osrt_threshold_ns,
                  "Record the call chain of OS-runtime calls of NS nanoseconds or more")
      ->group(kCallChainGroup);
  app.add_option("--osrt-backtrace-depth", options.osrt_depth,
                 "Maximum number of frames of such a call chain (0: no native call chains). "
                 "Default: 24, but 0 with --sample=none")
      ->type_name("FRAMES")
      ->check(CLI::Range(0U, 512U))
      ->group(kCallChainGroup);
  app.add_option("--osrt-backtrace-stack-size", options.osrt_stack_bytes,
                 "Maximum number of bytes of the stack that are copied for it (256 to 32768)")
      ->type_name("BYTES")
      ->check(CLI::Range(256U, kMaxOsrtStackBytes))
      ->capture_default_str()
      ->group(kCallChainGroup);
  add_parsed(
      app, "--cudabacktrace", [&options](const std::string& list) { parse_cuda(list, options); },
      "Record the call chain of CUDA API calls of these kinds that take 80000 ns or more. Another "
      "threshold can follow a kind after a colon: kernel:500,sync")
      ->type_name("all|none|kernel|memory|sync|other[:NS]")
      ->default_str(options.cuda_words)
      ->group(kCallChainGroup);
}

void resolve_call_chains(session::SessionOptions& options) {
  if (!options.call_chains.cuda() || options.has(wire::kFeatureCuda)) return;
  options.warnings.push_back("No call chains of CUDA calls: CUDA is not traced (-t cuda)");
  for (auto& each : options.call_chains.cuda_thresholds_ns) each.reset();
}

}  // namespace prof::cli
