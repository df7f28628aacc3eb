// The loader's functions. Some processes lack some of them.
#pragma once

#include <dlfcn.h>
#include <link.h>

// These are weak: before glibc 2.34 they are in libdl. This library does not need libdl, because
// loading one more library costs every process time. A process without libdl loads nothing at run
// time. musl has no dlvsym.
#pragma weak dlclose
#pragma weak dlerror
#pragma weak dlopen
#pragma weak dlsym
#pragma weak dlvsym
// Weak: only glibc 2.35 and later has it.
#pragma weak _dl_find_object
// Weak: only glibc has it.
#pragma weak _r_debug

namespace prof::core {

inline bool runs_on_glibc() { return &_r_debug != nullptr; }

// True if code of this process can call the functions that are declared above.
inline bool has_loader_functions() { return &dlopen != nullptr; }

// Finds the loaded object that contains this address: its link map and its bounds. Takes the
// loader's lock before glibc 2.35.
bool find_object(const void* address, dl_find_object& found);

// Returns the link map of the object that contains this address, or null.
inline link_map* object_at(const void* address) {
  dl_find_object found{};
  return find_object(address, found) ? found.dlfo_link_map : nullptr;
}

}  // namespace prof::core
