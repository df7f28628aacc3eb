#include "collector/metrics/kernels/host_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

#include <filesystem>
#include <string>
#include <system_error>

#include "collector/metrics/gpu/cupti_search.hpp"

namespace prof::metrics {

namespace {

constexpr const char* kHostName = "libnvperf_host.so";

// libcupti loads libnvperf_host by its name, which the linker finds only in its own folders. So the
// library in libcupti's folder is loaded before the first call. Returns null if there is none.
void* load_nvperf(void* cupti) {
  const link_map* map = nullptr;
  if (dlinfo(cupti, RTLD_DI_LINKMAP, &map) == 0 && map != nullptr) {
    const std::filesystem::path place(map->l_name);
    std::error_code ignored;
    for (const auto& path : {place, std::filesystem::canonical(place, ignored)})
      if (void* found = dlopen((path.parent_path() / kHostName).c_str(), RTLD_NOW | RTLD_GLOBAL))
        return found;
  }
  return dlopen(kHostName, RTLD_NOW | RTLD_GLOBAL);
}

}  // namespace

base::Result<HostLibrary> HostLibrary::load(const std::string& path) {
  const auto library = open_cupti(path);
  if (!library) return tl::make_unexpected(library.error());
  HostLibrary functions;
  bool is_complete = true;
#define PROF_RESOLVE_HOST(name)                                                        \
  functions.name = reinterpret_cast<decltype(functions.name)>(dlsym(*library, #name)); \
  is_complete = functions.name != nullptr && is_complete;
  PROF_HOST_FUNCTIONS(PROF_RESOLVE_HOST)
#undef PROF_RESOLVE_HOST
  if (!is_complete)
    return base::fail("libcupti is older than CUDA 12.6. Name a newer one with --cupti-path");
  functions.nvperf = load_nvperf(*library);
  if (functions.nvperf == nullptr)
    return base::fail(
        "libnvperf_host.so, which libcupti needs, was not found beside it. Install CUPTI of the "
        "CUDA toolkit, or pip's nvidia-cuda-cupti, and name its libcupti with --cupti-path");
  return functions;
}

}  // namespace prof::metrics
