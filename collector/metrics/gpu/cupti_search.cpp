#include "collector/metrics/gpu/cupti_search.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <glob.h>

#include <cstdlib>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

namespace prof::metrics {

using base::fail;

namespace {

// Name of the toolkit's folder for this processor.
#if defined(__x86_64__)
constexpr const char* kTarget = "/usr/local/cuda-*/targets/x86_64-linux/lib/";
#else
constexpr const char* kTarget = "/usr/local/cuda-*/targets/sbsa-linux/lib/";
#endif

// The newest version comes first. All minor versions of a major version are compatible.
constexpr const char* kNames[] = {"libcupti.so.13", "libcupti.so.12"};
constexpr const char* kToolkits[] = {
    "/usr/local/cuda/extras/CUPTI/lib64/",
    "/usr/local/cuda/lib64/",
    "/usr/local/cuda-*/extras/CUPTI/lib64/",
    "/usr/local/cuda-*/lib64/",
    kTarget,
    "/opt/cuda/extras/CUPTI/lib64/",
};

// Where pip puts NVIDIA's wheels, in folders of packages: those of CUDA 13 share one folder, and
// each wheel of CUDA 12 has a separate one.
constexpr const char* kWheels[] = {"/nvidia/cu13/lib/", "/nvidia/cuda_cupti/lib/"};
constexpr const char* kSystemPackages[] = {"/usr/local/lib/python3*/dist-packages",
                                           "/usr/local/lib/python3*/site-packages",
                                           "/usr/lib/python3*/site-packages"};
// Folders of packages below a virtual environment (VIRTUAL_ENV, CONDA_PREFIX) or the home folder.
constexpr std::pair<const char*, const char*> kOwnPackages[] = {
    {"VIRTUAL_ENV", "/lib/python3*/site-packages"},
    {"CONDA_PREFIX", "/lib/python3*/site-packages"},
    {"HOME", "/.local/lib/python3*/site-packages"}};

void* open_library(const std::string& path) {
  return dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
}

std::vector<std::string> matching(const std::string& pattern) {
  std::vector<std::string> paths;
  glob_t found{};
  if (glob(pattern.c_str(), 0, nullptr, &found) == 0)
    for (std::size_t i = 0; i < found.gl_pathc; ++i) paths.emplace_back(found.gl_pathv[i]);
  globfree(&found);
  return paths;
}

// Returns the folders of Python packages, as patterns. Those of the environment come first, unless
// they depend on the current folder.
std::vector<std::string> package_folders() {
  std::vector<std::string> folders;
  for (const auto& [variable, below] : kOwnPackages)
    if (const char* place = std::getenv(variable); place != nullptr && *place == '/')
      folders.push_back(std::string(place) + below);
  folders.insert(folders.end(), std::begin(kSystemPackages), std::end(kSystemPackages));
  return folders;
}

void* find_in_wheels() {
  for (const std::string& packages : package_folders())
    for (const char* wheel : kWheels)
      for (const char* name : kNames)
        for (const std::string& path : matching(packages + wheel + name))
          if (void* library = open_library(path)) return library;
  return nullptr;
}

void* find_cupti() {
  for (const char* name : kNames)
    if (void* library = open_library(name)) return library;
  for (const char* name : kNames)
    for (const char* folder : kToolkits)
      for (const std::string& path : matching(std::string(folder) + name))
        if (void* library = open_library(path)) return library;
  return find_in_wheels();
}

}  // namespace

base::Result<void*> open_cupti(const std::string& path) {
  if (path.empty()) {
    if (void* library = find_cupti()) return library;
    return fail("libcupti was not found. Install the CUDA toolkit, or name it with --cupti-path");
  }
  if (void* library = open_library(path)) return library;
  return fail(fmt::format("{} cannot be loaded ({})", path, dlerror()));
}

}  // namespace prof::metrics
