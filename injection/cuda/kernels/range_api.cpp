#include "injection/cuda/kernels/range_api.hpp"

#include <link.h>

#include <cstring>

#include "injection/core/symbols/loader.hpp"
#include "injection/cuda/clients/host.hpp"
#include "injection/cuda/cupti_api.hpp"

namespace prof::cuda::kernels {

RangeApi g_range;

namespace {

// libcupti loads these by their names, which the linker finds only in its own folders.
constexpr const char* kBesideCupti[] = {"libnvperf_host.so", "libnvperf_target.so"};

void load_beside_cupti() {
  const char* const cupti = static_cast<const link_map*>(g_cupti_library)->l_name;
  const char* const slash = std::strrchr(cupti, '/');
  char path[1024];
  for (const char* name : kBesideCupti) {
    const std::size_t folder = slash == nullptr ? 0 : static_cast<std::size_t>(slash - cupti) + 1;
    const std::size_t length = std::strlen(name);
    if (folder + length + 1 > sizeof path) return;
    std::memcpy(path, cupti, folder);
    std::memcpy(path + folder, name, length + 1);
    dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    dlerror();  // the program must not see our failure
  }
}

}  // namespace

bool load_range_api() {
  load_beside_cupti();
  bool is_complete = true;
  // A handle of dlopen is a link map.
  void* const library = const_cast<void*>(g_cupti_library);
#define X(name)                                                                         \
  g_range.name = reinterpret_cast<decltype(&::name)>(clients::look_up(library, #name)); \
  is_complete = g_range.name != nullptr && is_complete;
  PROF_RANGE_FUNCTIONS(X)
#undef X
  return is_complete;
}

}  // namespace prof::cuda::kernels
