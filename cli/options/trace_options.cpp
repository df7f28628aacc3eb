#include "cli/options/trace_options.hpp"

#include <algorithm>
#include <sstream>
#include <vector>

#include "cli/messages/failure.hpp"
#include "cli/options/arguments.hpp"
#include "cli/options/option_kinds.hpp"
#include "cli/options/words/nsys_options.hpp"
#include "collector/session/launch/capabilities.hpp"
#include "common/wire/libraries.hpp"

namespace prof::cli {

namespace {

constexpr std::uint32_t library(wire::Library which) {
  return wire::library_feature(static_cast<std::uint32_t>(which));
}

struct Trace {
  const char* name;
  std::uint32_t feature;       // wire::kFeature...; 0: see parse_traces()
  std::uint32_t graphics = 0;  // wire::kGraphics...
};
constexpr Trace kTraces[] = {
    {"cublas", library(wire::Library::kCublas)},
    {"cuda", wire::kFeatureCuda},
    {"cuda-hw", wire::kFeatureCuda},
    {"cuda-sw", wire::kFeatureCuda},
    {"cudnn", library(wire::Library::kCudnn)},
    {"cusolver", library(wire::Library::kCusolver)},
    {"cusparse", library(wire::Library::kCusparse)},
    {"mpi", library(wire::Library::kMpi)},
    {"nccl", library(wire::Library::kNccl)},
    {"nvtx", wire::kFeatureNvtx},
    {"openacc", library(wire::Library::kOpenAcc)},
    {"opengl", library(wire::Library::kOpenGl)},
    {"opengl-annotations", library(wire::Library::kOpenGl), wire::kGraphicsOpenGlGroups},
    {"openmp", library(wire::Library::kOpenMp)},
    {"oshmem", library(wire::Library::kOpenShmem)},
    {"osrt", wire::kFeatureOsrt},
    {"python-gc", 0},
    {"python-gil", wire::kFeaturePythonGil},
    {"syscall", 0},
    {"ucx", library(wire::Library::kUcx)},
    {"vulkan", 0, wire::kGraphicsVulkan},
    {"vulkan-annotations", 0, wire::kGraphicsVulkan | wire::kGraphicsVulkanLabels},
    {"none", 0}};

// nsys records these libraries at two levels of detail. prof always records all calls.
const std::vector<std::string> kVerbose = {"cublas-verbose", "cusolver-verbose",
                                           "cusparse-verbose"};

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Returns null if prof does not record the trace.
const Trace* find_trace(const std::string& name) {
  const std::string plain = has(kVerbose, name) ? name.substr(0, name.find('-')) : name;
  for (const Trace& trace : kTraces)
    if (plain == trace.name) return &trace;
  return nullptr;
}

// Adds a name that prof does not record to `notes`, unless nobody misses it. A name that resembles
// one of prof's counts as a typing error, and is added to `errors`.
void leave_out(const std::string& name, std::string& notes, std::string& errors) {
  const char* text = find_nsys_value("--trace", name);
  const std::string similar = text == nullptr ? suggestion(name, trace_words()) : "";
  if (name.empty() || !similar.empty())
    errors += (errors.empty() ? "unknown trace " : " Unknown trace ") + name + similar;
  else if (text == nullptr || *text != '\0')
    notes += (notes.empty() ? "" : ",") + name;
}

std::vector<std::string> parse_tracepoints(const std::string& list) {
  std::vector<std::string> tracepoints;
  std::istringstream names(list);
  for (std::string name; std::getline(names, name, ',');) {
    const std::size_t slash = name.find('/');
    const bool has_two_parts = slash != std::string::npos && slash > 0 && slash + 1 < name.size() &&
                               slash == name.rfind('/');
    if (!has_two_parts || name.find("..") != std::string::npos)
      throw Failure("--ftrace: '" + name +
                        "' is not SUBSYSTEM/EVENT, such as sched/sched_switch (ls "
                        "/sys/kernel/tracing/events/* lists them)",
                    kBadUsage);
    tracepoints.push_back(std::move(name));
  }
  return tracepoints;
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
  for (const Trace& trace : kTraces) {
    options.features &= ~trace.feature;
    options.graphics &= ~trace.graphics;
  }
  options.python.marks_garbage = false;
  std::istringstream names(list);
  std::string left_out, unknown;
  bool by_software = false;
  options.cuda.flags |= wire::kCudaHardwareTrace;
  options.cuda.flags &= ~wire::kCudaHardwareForced;
  for (std::string name; std::getline(names, name, ',');) {
    std::erase(name, ' ');
    const Trace* trace = find_trace(name);
    if (trace == nullptr) {
      leave_out(name, left_out, unknown);
      continue;
    }
    options.features |= trace->feature;
    options.graphics |= trace->graphics;
    options.trace_system_calls |= name == "syscall";
    options.python.marks_garbage |= name == "python-gc";
    by_software |= name == "cuda-sw";
    if (name == "cuda-hw") options.cuda.flags |= wire::kCudaHardwareForced;
  }
  if (!unknown.empty()) throw Failure(unknown + " (known: " + trace_names() + ")", kBadUsage);
  if (by_software) options.cuda.flags &= ~(wire::kCudaHardwareTrace | wire::kCudaHardwareForced);
  if (!left_out.empty()) options.warnings.push_back("--trace=" + left_out + ": not recorded");
}

void add_trace_options(CLI::App& app, session::SessionOptions& options) {
  add_parsed(
      app, "-t,--trace", [&options](const std::string& list) { parse_traces(list, options); },
      "What to trace, comma-separated: " + trace_names())
      ->type_name("LIST")
      ->default_str("cuda,nvtx,osrt");
}

void add_system_calls(CLI::App& app, session::SessionOptions& options) {
  add_parsed(
      app, "--syscall",
      [&options](const std::string& scope) {
        options.trace_system_calls |= scope != "none";
        if (find_nsys_value("--syscall", scope) != nullptr)
          options.warnings.push_back(note_on_value("--syscall", scope));
      },
      "nsys's spelling of -t syscall: record the system calls of the program and its children")
      ->check(CLI::IsMember({"process-tree", "pid-namespace", "none"}))
      ->type_name("process-tree|pid-namespace|none")
      ->default_str("none");
}

void add_ftrace_options(CLI::App& app, session::TracepointOptions& options) {
  add_parsed(
      app, "--ftrace",
      [&options](const std::string& list) { options.names = parse_tracepoints(list); },
      "Record these tracepoints of the kernel on the whole system, such as "
      "sched/sched_waking,irq/* (requires root)")
      ->type_name("SUBSYSTEM/EVENT,…");
  add_bool(app, "--ftrace-keep-user-config", options.adds_enabled,
           "Also record the events that are enabled in ftrace. prof never changes its "
           "configuration");
}

void resolve_system_calls(session::SessionOptions& options) {
  if (!options.trace_system_calls) return;
  const auto capability = session::system_call_capability();
  options.trace_system_calls = capability.available;
  if (!capability.available)
    options.warnings.push_back("System calls are not traced: " + capability.detail);
}

}  // namespace prof::cli
