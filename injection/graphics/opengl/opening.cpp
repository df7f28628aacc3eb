#include "injection/graphics/opengl/opening.hpp"

#include <dlfcn.h>
#include <errno.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "injection/core/symbols/loader.hpp"
#include "injection/graphics/opengl/records.hpp"
#include "injection/graphics/opengl/search_path.hpp"
#include "injection/libraries/recorder.hpp"

namespace prof::opengl {

namespace {

using Open = void* (*)(const char* name, int flags);

constinit std::atomic<Open> g_open{nullptr};

// In place of dlopen in a process that has none.
void* open_nothing(const char*, int) { return nullptr; }

Open real_open() {
  Open open = g_open.load(std::memory_order_relaxed);
  if (open != nullptr) return open;
  open = reinterpret_cast<Open>(dlsym(RTLD_NEXT, "dlopen"));
  if (open == nullptr) open = open_nothing;
  g_open.store(open, std::memory_order_relaxed);
  return open;
}

// The libraries that have stand-ins, and the file names of these.
struct StandIn {
  const char* library;
  const char* file;
};
constexpr StandIn kStandIns[] = {{"libEGL.so.1", "libprof_opengl_egl.so"},
                                 {"libGL.so.1", "libprof_opengl_gl.so"},
                                 {"libGLESv2.so.2", "libprof_opengl_gles.so"},
                                 {"libGLX.so.0", "libprof_opengl_glx.so"},
                                 {"libOpenGL.so.0", "libprof_opengl_opengl.so"}};
constexpr std::size_t kStandInCount = sizeof kStandIns / sizeof *kStandIns;

// The paths of the stand-ins, in the folder of this library. dlopen gets pointers to them.
constexpr std::size_t kMaxPath = 1024;
char g_paths[kStandInCount][kMaxPath];

// `name` may lack the version: libEGL.so.
const StandIn* find_stand_in(const char* name) {
  if (name == nullptr || std::strncmp(name, "lib", 3) != 0) return nullptr;
  const std::size_t length = std::strlen(name);
  for (const StandIn& each : kStandIns) {
    if (std::strncmp(name, each.library, length) != 0) continue;
    if (each.library[length] == '\0' || std::strcmp(std::strchr(name, '.'), ".so") == 0)
      return &each;
  }
  return nullptr;
}

// True if the file of this name, without a version, is the library: a link to it. Then it stays
// loaded.
bool leads_to(const char* name, const char* library) {
  void* const opened = real_open()(name, RTLD_LAZY | RTLD_LOCAL);
  if (opened == nullptr) {
    dlerror();  // clears the error: the program's own dlopen reports it
    return false;
  }
  if (is_called(*static_cast<const link_map*>(opened), library)) return true;
  dlclose(opened);
  return false;
}

// Returns null if there is no such file.
const char* path_of(const StandIn& stand_in) {
  const link_map* const own = core::object_at(reinterpret_cast<const void*>(&path_of));
  const char* const slash = own == nullptr ? nullptr : std::strrchr(own->l_name, '/');
  if (slash == nullptr) return nullptr;
  const auto folder = static_cast<std::size_t>(slash + 1 - own->l_name);
  const std::size_t bytes = std::strlen(stand_in.file) + 1;
  if (folder + bytes > kMaxPath) return nullptr;
  // Threads that come here at the same time write the same.
  char* const path = g_paths[&stand_in - kStandIns];
  std::memcpy(path, own->l_name, folder);
  std::memcpy(path + folder, stand_in.file, bytes);
  return access(path, R_OK) == 0 ? path : nullptr;
}

// Returns what to open instead of `name`. The stand-in finds the real library in the default search
// path, so it does not serve callers with another one that has the library.
const char* choose(const char* name, int& flags, const void* caller) {
  const StandIn* const stand_in = find_stand_in(name);
  if (stand_in == nullptr || prof_is_library_traced == nullptr || !prof_is_library_traced(kLibrary))
    return name;
  if (has_in_search_path(caller, name)) return name;
  if ((flags & RTLD_NOLOAD) != 0 && prof_opengl_library(name) == nullptr) return name;
  const bool has_version = std::strcmp(name, stand_in->library) == 0;
  if (!has_version && !leads_to(name, stand_in->library)) return name;
  const char* const path = path_of(*stand_in);
  if (path == nullptr) return name;
  flags &= ~RTLD_NOLOAD;
  return path;
}

}  // namespace

}  // namespace prof::opengl

extern "C" {

struct ProfOpening {
  const char* name;
  void* open;
};

// Called by dlopen (dlopen_*.S), which then jumps to `open`.
__attribute__((visibility("hidden"))) ProfOpening prof_choose_library(const char* name, int* flags,
                                                                      const void* caller) {
  const int saved = errno;
  const char* const chosen = prof::opengl::choose(name, *flags, caller);
  errno = saved;
  return {chosen, reinterpret_cast<void*>(prof::opengl::real_open())};
}

void* prof_opengl_library(const char* name) {
  void* const library = prof::opengl::real_open()(name, RTLD_LAZY | RTLD_NOLOAD);
  // It stays loaded, because others use it.
  if (library != nullptr)
    dlclose(library);
  else
    dlerror();  // clears the error: the program must not see it
  return library;
}
}
