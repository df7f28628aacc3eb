// What the dynamic sections of objects say: search paths (DT_RUNPATH and DT_RPATH) and names.
#pragma once

#include <link.h>

namespace prof::opengl {

// True if the object that contains `caller` has a search path in which there may be a file of this
// name.
bool has_in_search_path(const void* caller, const char* name);

// True if the object has this name (DT_SONAME).
bool is_called(const link_map& object, const char* name);

}  // namespace prof::opengl
