#include "cli/options/trace_options.hpp"

#include <algorithm>
#include <sstream>
#include <vector>

#include "cli/failure.hpp"
#include "cli/options/arguments.hpp"
#include "cli/options/option_kinds.hpp"
#include "collector/session/launch/capabilities.hpp"
#include "injection/wire/libraries.hpp"

namespace prof::cli {

namespace {

constexpr std::uint32_t library(wire::Library which) {
  return wire::library_feature(static_cast<std::uint32_t>(which));
}

struct Trace {
  const char* name;
  std::uint32_t feature;  // wire::kFeature...; 0: see parse_traces()
};
constexpr Trace kTraces[] = {{"cublas", library(wire::Library::kCublas)},
                             {"cuda", wire::kFeatureCuda},
                             {"cuda-hw", wire::kFeatureCuda},
                             {"cudnn", library(wire::Library::kCudnn)},
                             {"cusolver", library(wire::Library::kCusolver)},
                             {"cusparse", library(wire::Library::kCusparse)},
                             {"nccl", library(wire::Library::kNccl)},
                             {"nvtx", wire::kFeatureNvtx},
                             {"osrt", wire::kFeatureOsrt},
                             {"python-gil", wire::kFeaturePythonGil},
                             {"syscall", 0},
                             {"none", 0}};

const std::vector<std::string> kOnlyInNsys = {"cudla",
                                              "gds",
                                              "mpi",
                                              "oshmem",
                                              "ucx",
                                              "openacc",
                                              "openmp",
                                              "opengl",
                                              "opengl-annotations",
                                              "vulkan",
                                              "vulkan-annotations",
                                              "nvvideo",
                                              "tegra-accelerators"};
// nsys records these libraries in two degrees of detail. prof always records all calls.
const std::vector<std::string> kVerbose = {"cublas-verbose", "cusolver-verbose",
                                           "cusparse-verbose"};

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

[[noreturn]] void refuse_trace(const std::string& name) {
  if (has(kOnlyInNsys, name))
    throw Failure("trace " + name + " is not supported (supported: " + trace_names() + ")",
                  kBadUsage);
  throw Failure(
      "unknown trace " + name + suggestion(name, trace_words()) + " (known: " + trace_names() + ")",
      kBadUsage);
}

const Trace& find_trace(const std::string& name) {
  const std::string plain = has(kVerbose, name) ? name.substr(0, name.find('-')) : name;
  for (const Trace& trace : kTraces)
    if (plain == trace.name) return trace;
  refuse_trace(name);
}

}  // namespace

std::vector<std::string> trace_words() {
  std::vector<std::string> words;
  for (const Trace& trace : kTraces) words.emplace_back(trace.name);
  return words;
}

std::string trace_names() {
  std::string list;
  for (const Trace& trace : kTraces) list += (list.empty() ? "" : ", ") + std::string(trace.name);
  return list;
}

void parse_traces(const std::string& list, session::SessionOptions& options) {
  for (const Trace& trace : kTraces) options.features &= ~trace.feature;
  std::istringstream names(list);
  for (std::string name; std::getline(names, name, ',');) {
    options.features |= find_trace(name).feature;
    options.trace_system_calls |= name == "syscall";
    if (name == "cuda-hw") options.cuda.flags |= wire::kCudaHardwareTrace;
  }
}

void add_trace_options(CLI::App& app, session::SessionOptions& options) {
  add_parsed(
      app, "-t,--trace", [&options](const std::string& list) { parse_traces(list, options); },
      "What to trace, comma-separated: " + trace_names())
      ->type_name("LIST")
      ->default_str("cuda,nvtx,osrt");
}

void resolve_system_calls(session::SessionOptions& options) {
  if (!options.trace_system_calls) return;
  const auto capability = session::system_call_capability();
  options.trace_system_calls = capability.available;
  if (!capability.available)
    options.warnings.push_back("System calls are not traced: " + capability.detail);
}

}  // namespace prof::cli
