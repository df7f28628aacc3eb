// A library that the program gets in place of one of OpenGL's that it opens with dlopen
// (opening.hpp). It is compiled for each of these: PROF_STAND_IN is the name of the real library,
// which this one needs, and one of PROF_HAS_... says which functions it has.
//
// The functions are resolved when the program looks them up. One that the real library lacks is
// null here, too.
#include "injection/core/symbols/loader.hpp"
#include "injection/graphics/opengl/opening.hpp"

#pragma weak prof_opengl_library
#pragma weak prof_opengl_wrapper

namespace {

using Function = void();

Function* resolve(const char* name) {
  if (&prof_opengl_library == nullptr) return nullptr;
  void* const library = prof_opengl_library(PROF_STAND_IN);
  void* const real = library == nullptr ? nullptr : dlsym(library, name);
  return reinterpret_cast<Function*>(prof_opengl_wrapper(name, real));
}

}  // namespace

#define STAND_IN(name, ...)                                                       \
  extern "C" {                                                                    \
  [[gnu::used]] static Function* prof_resolve_##name() { return resolve(#name); } \
  [[gnu::visibility("default"), gnu::ifunc("prof_resolve_" #name)]] void name();  \
  }
#define NOT_HERE(...)

#define OPENGL_FUNCTION NOT_HERE
#ifdef PROF_HAS_EGL
#define EGL_FUNCTION STAND_IN
#endif
#ifdef PROF_HAS_GLX
#define GLX_FUNCTION STAND_IN
#endif
#ifdef PROF_HAS_ES
#define COMMON_FUNCTION STAND_IN
#endif
#ifdef PROF_HAS_DESKTOP
#define COMMON_FUNCTION STAND_IN
#define DESKTOP_FUNCTION STAND_IN
#endif
#ifdef PROF_HAS_LIBGL
#define COMMON_FUNCTION STAND_IN
#define DESKTOP_FUNCTION STAND_IN
#define LIBGL_FUNCTION STAND_IN
#define GLX_FUNCTION STAND_IN
#endif
#include "injection/graphics/opengl/opengl.def"
