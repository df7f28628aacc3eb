// dlsym, for programs that look up functions of CUPTI, cuBLAS, cuDNN, cuSOLVER or cuSPARSE instead
// of being linked to them. Every other look-up goes on to the real function with its caller's
// return address, because some of dlsym's results depend on it: dlsym itself is in dlsym_*.S.
#include <atomic>
#include <cstdint>
#include <cstring>

#include "common/wire/libraries.hpp"

#include "injection/core/machine/machine.hpp"
#include "injection/core/process_state.hpp"
#include "injection/core/symbols/loader.hpp"
#include "injection/cuda/clients/host.hpp"
#include "injection/cuda/clients/route.hpp"

namespace prof::cuda::clients {

namespace {

using LookUp = void*(void*, const char*);

}  // namespace

}  // namespace prof::cuda::clients

extern "C" {

__attribute__((visibility("hidden"))) constinit std::atomic<void*> prof_real_dlsym{nullptr};

// Called once, at the process's first look-up, perhaps before our constructor has run.
__attribute__((visibility("hidden"))) void* prof_find_dlsym() {
  void* found = &dlvsym == nullptr ? nullptr : dlvsym(RTLD_NEXT, "dlsym", PROF_FIRST_GLIBC);
  prof_real_dlsym.store(found, std::memory_order_relaxed);
  return found;
}

}  // extern "C"

namespace prof::cuda::clients {

void* look_up(void* library, const char* name) {
  void* address = prof_real_dlsym.load(std::memory_order_relaxed);
  if (address == nullptr) address = prof_find_dlsym();
  return address == nullptr ? nullptr : reinterpret_cast<LookUp*>(address)(library, name);
}

namespace {

constexpr wire::Library kLookedUp[] = {wire::Library::kCublas, wire::Library::kCudnn,
                                       wire::Library::kCusolver, wire::Library::kCusparse};

bool begins_with(const char* text, const char* beginning) {
  return std::strncmp(text, beginning, std::strlen(beginning)) == 0;
}

// Returns the name of the file without its folder, and without "lib", or an empty text.
const char* library_name(const char* path) {
  const char* slash = std::strrchr(path, '/');
  const char* name = slash == nullptr ? path : slash + 1;
  return begins_with(name, "lib") ? name + 3 : "";
}

const char* library_name_at(const void* code) {
  const link_map* object = core::object_at(code);
  return object == nullptr || object->l_name == nullptr ? "" : library_name(object->l_name);
}

bool is_traced_name(const char* name) {
  for (const wire::Library library : kLookedUp) {
    const auto number = static_cast<std::uint32_t>(library);
    if (begins_with(name, wire::kLibraryNames[number]))
      return core::has_feature(wire::library_feature(number));
  }
  return false;
}

// Libraries look up functions of their own parts, and prof the real functions.
bool is_part_of_library(const char* name) {
  for (const wire::Library library : kLookedUp)
    if (begins_with(name, wire::kLibraryNames[static_cast<std::uint32_t>(library)])) return true;
  return begins_with(name, "prof_");
}

struct SameFiles {
  const char* name;
  std::size_t length;  // as far as files of all versions have the same name
  int count;
};

int count_same_file(dl_phdr_info* info, std::size_t, void* data) {
  auto& files = *static_cast<SameFiles*>(data);
  if (std::strncmp(library_name(info->dlpi_name), files.name, files.length) == 0) ++files.count;
  return 0;
}

// True if the function is in the main file of a library of which one version is loaded. Then the
// tracer of the library finds the same function.
bool is_only_definition(const void* function) {
  SameFiles files{library_name_at(function), 0, 0};
  const char* end = std::strstr(files.name, ".so");
  if (end == nullptr || !is_part_of_library(files.name)) return false;
  const char* part = std::strchr(files.name, '_');  // as in "cudnn_graph"
  if (part != nullptr && part < end) return false;
  files.length = static_cast<std::size_t>(end - files.name) + 3;
  dl_iterate_phdr(count_same_file, &files);
  return files.count == 1;
}

// Returns the tracer's function. It comes first among all functions of its name, because it is
// preloaded. Returns null if there is none, or if it would not find the function: it searches the
// object that calls, which may have a function of this name that looks the real one up.
void* traced_function(const char* name, const void* found, const void* caller) {
  link_map* const object = core::object_at(caller);
  if (object == nullptr) return nullptr;
  const void* const of_caller = look_up(object, name);
  void* const traced = look_up(RTLD_DEFAULT, name);
  dlerror();  // clears an error of the look-ups: the program must not see it
  if (!begins_with(library_name_at(traced), "prof_")) return nullptr;
  return of_caller == nullptr || of_caller == found || of_caller == traced ? traced : nullptr;
}

}  // namespace

}  // namespace prof::cuda::clients

extern "C" {

// Looks up a name that begins like the names of CUPTI's functions.
__attribute__((visibility("hidden"))) void* prof_look_up_cupti(void* handle, const char* name) {
  using namespace prof::cuda::clients;
  void* const own = dlopen(prof::core::g_process.library, RTLD_LAZY | RTLD_NOLOAD);
  void* const mine = own == nullptr ? nullptr : look_up(own, name);
  const bool is_anywhere = handle == RTLD_DEFAULT || handle == RTLD_NEXT;
  void* found = is_anywhere ? mine : look_up(handle, name);
  // The first function of the name is prof's, even without any libcupti.
  if (is_anywhere || (found == mine && found != nullptr)) {
    void* const cupti = loaded_cupti(nullptr);
    found = cupti == nullptr ? nullptr : look_up(cupti, name);
  }
  return found != nullptr && mine != nullptr && is_shared() ? mine : found;
}

// Looks up a name that begins with "cu" in a library. Returns the tracer's function if the library
// is traced.
__attribute__((visibility("hidden"))) void* prof_look_up_library(void* handle, const char* name,
                                                                 const void* caller) {
  using namespace prof::cuda::clients;
  void* const found = look_up(handle, name);
  if (found == nullptr || !is_traced_name(name)) return found;
  if (is_part_of_library(library_name_at(caller)) || !is_only_definition(found)) return found;
  void* const traced = traced_function(name, found, caller);
  return traced != nullptr ? traced : found;
}

}  // extern "C"
