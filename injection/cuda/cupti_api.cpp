#include "injection/cuda/cupti_api.hpp"

#include <cstring>

#include "injection/core/machine/machine.hpp"
#include "injection/core/symbols/loader.hpp"
#include "injection/cuda/clients/host.hpp"

namespace prof::cuda {

CuptiApi g_cupti;
CuptiApi g_real;
const void* g_cupti_library;

namespace {

// The newest comes first: a newer CUPTI also supports programs of older toolkits.
constexpr const char* kNames[] = {"libcupti.so.13", "libcupti.so.12"};

// Locations relative to the folder of a CUDA library that the program uses. pip's CUDA 13 wheels
// share one folder, each CUDA 12 wheel has a separate folder, and a toolkit has CUPTI under extras.
constexpr const char* kBeside[] = {"", "/../../cuda_cupti/lib", "/../extras/CUPTI/lib64",
                                   "/../../../extras/CUPTI/lib64"};

constexpr const char* kToolkits[] = {
    "/usr/local/cuda/extras/CUPTI/lib64",    "/usr/local/cuda/lib64",
    "/usr/local/cuda-13/extras/CUPTI/lib64", "/usr/local/cuda-13.0/extras/CUPTI/lib64",
    "/usr/local/cuda-12/extras/CUPTI/lib64", "/opt/cuda/extras/CUPTI/lib64",
    core::machine::kSystemLibraries,
};

// Appends to a path. Returns false if the path is full.
struct Path {
  char text[1024];
  std::size_t length = 0;

  bool append(const char* part) {
    const std::size_t bytes = std::strlen(part);
    if (length + bytes >= sizeof text) return false;
    std::memcpy(text + length, part, bytes + 1);
    length += bytes;
    return true;
  }
};

void* open_in(const char* folder, const char* rest) {
  for (const char* name : kNames) {
    Path path;
    if (!path.append(folder) || !path.append(rest) || !path.append("/") || !path.append(name))
      continue;
    if (void* library = dlopen(path.text, RTLD_NOW | RTLD_LOCAL)) return library;
  }
  return nullptr;
}

bool is_cuda_library(const char* file) {
  return std::strncmp(file, "libcudart.so", 12) == 0 || std::strncmp(file, "libcublas", 9) == 0 ||
         std::strncmp(file, "libnvrtc", 8) == 0 || std::strncmp(file, "libcudnn", 8) == 0;
}

// Only stores the folder, because dlopen() must not run while the loader's lock is held.
int find_cuda_folder(dl_phdr_info* info, std::size_t, void* out) {
  const char* slash = info->dlpi_name == nullptr ? nullptr : std::strrchr(info->dlpi_name, '/');
  if (slash == nullptr || !is_cuda_library(slash + 1)) return 0;
  const auto length = static_cast<std::size_t>(slash - info->dlpi_name);
  if (length >= 512) return 0;
  std::memcpy(out, info->dlpi_name, length);
  static_cast<char*>(out)[length] = '\0';
  return 1;
}

void* open_beside_cuda() {
  char folder[512] = "";
  if (dl_iterate_phdr(find_cuda_folder, folder) == 0) return nullptr;
  for (const char* rest : kBeside)
    if (void* library = open_in(folder, rest)) return library;
  return nullptr;
}

void* find_library(const char* wanted) {
  if (*wanted != '\0') return dlopen(wanted, RTLD_NOW | RTLD_LOCAL);
  for (const char* name : kNames)
    if (void* library = dlopen(name, RTLD_NOW | RTLD_NOLOAD)) return library;
  for (const char* name : kNames)
    if (void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL)) return library;
  if (void* library = open_beside_cuda()) return library;
  for (const char* folder : kToolkits)
    if (void* library = open_in(folder, "")) return library;
  return nullptr;
}

template <class Function>
bool resolve(void* library, const char* name, Function*& slot) {
  slot = reinterpret_cast<Function*>(clients::look_up(library, name));
  return slot != nullptr;
}

}  // namespace

void* load_beside_cupti(const char* file) {
  const char* cupti = static_cast<const link_map*>(g_cupti_library)->l_name;
  const char* slash = std::strrchr(cupti, '/');
  Path path;
  if (slash == nullptr || !path.append(cupti)) return nullptr;
  path.length = static_cast<std::size_t>(slash + 1 - cupti);
  void* library = path.append(file) ? dlopen(path.text, RTLD_NOW | RTLD_LOCAL) : nullptr;
  dlerror();  // the program must not see our failure
  return library;
}

void load_counter_libraries() {
  static bool done;
  if (done) return;
  done = true;
  for (const char* file : {"libnvperf_host.so", "libnvperf_target.so"}) load_beside_cupti(file);
}

LoadResult load_cupti(const char* wanted) {
  void* library = find_library(wanted);
  if (library == nullptr) return LoadResult::kMissing;
  g_cupti_library = library;
  bool complete = true;
#define X(name) complete = resolve(library, #name, g_cupti.name) && complete;
  PROF_CUPTI_FUNCTIONS(X)
#undef X
#define X(name) resolve(library, #name, g_cupti.name);
  PROF_CUPTI_NEWER_FUNCTIONS(X)
#undef X
  if (g_cupti.cuptiGetVersion != nullptr) g_cupti.cuptiGetVersion(&g_cupti.version);
  return complete && g_cupti.version >= kOldestCupti ? LoadResult::kLoaded : LoadResult::kTooOld;
}

}  // namespace prof::cuda
