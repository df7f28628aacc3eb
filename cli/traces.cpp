#include "cli/traces.hpp"

#include <algorithm>
#include <sstream>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/failure.hpp"

namespace prof::cli {

namespace {

const std::vector<std::string> kKnown = {"cuda", "cuda-hw", "nvtx", "osrt", "none"};
const std::vector<std::string> kOnlyInNsys = {"cublas",     "cublas-verbose",
                                              "cusolver",   "cusolver-verbose",
                                              "cusparse",   "cusparse-verbose",
                                              "cudnn",      "cudla",
                                              "gds",        "mpi",
                                              "oshmem",     "ucx",
                                              "openacc",    "openmp",
                                              "opengl",     "opengl-annotations",
                                              "vulkan",     "vulkan-annotations",
                                              "nvvideo",    "tegra-accelerators",
                                              "python-gil", "syscall"};

}  // namespace

Traces parse_traces(const std::string& list) {
  Traces traces;
  std::istringstream names(list);
  for (std::string name; std::getline(names, name, ',');) {
    if (name == "osrt") {
      traces.osrt = true;
    } else if (name == "nvtx") {
      traces.nvtx = true;
    } else if (name == "cuda") {
      traces.cuda = true;
    } else if (name == "cuda-hw") {
      traces.cuda = traces.cuda_hardware = true;
    } else if (std::find(kOnlyInNsys.begin(), kOnlyInNsys.end(), name) != kOnlyInNsys.end()) {
      throw Failure(
          "trace " + name + " is not supported; supported: cuda, cuda-hw, nvtx, osrt, none",
          kBadUsage);
    } else if (name != "none") {
      throw Failure("unknown trace " + name + suggestion(name, kKnown) +
                        " (known: cuda, cuda-hw, nvtx, osrt, none)",
                    kBadUsage);
    }
  }
  return traces;
}

}  // namespace prof::cli
