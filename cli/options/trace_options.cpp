#include "cli/options/trace_options.hpp"

#include <algorithm>
#include <sstream>
#include <vector>

#include "cli/options/arguments.hpp"
#include "cli/failure.hpp"
#include "injection/wire/libraries.hpp"

namespace prof::cli {

namespace {

const std::vector<std::string> kKnown = {"cublas",   "cuda",       "cuda-hw", "cudnn",
                                         "cusolver", "cusparse",   "nccl",    "nvtx",
                                         "osrt",     "python-gil", "syscall", "none"};
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
// nsys tells some libraries' calls in two degrees of detail; ours are always all of them.
const std::vector<std::string> kVerbose = {"cublas-verbose", "cusolver-verbose",
                                           "cusparse-verbose"};

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// The bit of a library that is traced under this name, or 0.
std::uint32_t library_bit(const std::string& name) {
  const std::string plain = has(kVerbose, name) ? name.substr(0, name.find('-')) : name;
  for (std::uint32_t i = 0; i < wire::kLibraries; ++i)
    if (plain == wire::kLibraryNames[i]) return 1U << i;
  return 0;
}

[[noreturn]] void refuse(const std::string& name) {
  if (has(kOnlyInNsys, name))
    throw Failure("trace " + name + " is not supported; supported: " + trace_names(), kBadUsage);
  throw Failure(
      "unknown trace " + name + suggestion(name, kKnown) + " (known: " + trace_names() + ")",
      kBadUsage);
}

}  // namespace

std::string trace_names() {
  std::string list;
  for (const std::string& name : kKnown) list += (list.empty() ? "" : ", ") + name;
  return list;
}

Traces parse_traces(const std::string& list) {
  Traces traces;
  std::istringstream names(list);
  for (std::string name; std::getline(names, name, ',');) {
    const std::uint32_t library = library_bit(name);
    traces.libraries |= library;
    if (name == "osrt") {
      traces.osrt = true;
    } else if (name == "nvtx") {
      traces.nvtx = true;
    } else if (name == "syscall") {
      traces.system_calls = true;
    } else if (name == "python-gil") {
      traces.python_gil = true;
    } else if (name == "cuda") {
      traces.cuda = true;
    } else if (name == "cuda-hw") {
      traces.cuda = traces.cuda_hardware = true;
    } else if (library == 0 && name != "none") {
      refuse(name);
    }
  }
  return traces;
}

}  // namespace prof::cli
