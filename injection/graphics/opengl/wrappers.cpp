// The functions that the program calls in place of those of OpenGL, EGL and GLX.
//
// A function can have several real ones: libGL, libOpenGL and eglGetProcAddress have different code
// for glClear, although all of it does the same. So there are several wrappers for each function.
// The exported one serves programs that are linked to the library. The others are handed out for a
// real function that the program has looked up, and each remembers one.
#include <atomic>
#include <cstddef>
#include <cstring>
#include <initializer_list>

#include "injection/core/symbols/loader.hpp"
#include "injection/graphics/opengl/calls.hpp"
#include "injection/graphics/opengl/opening.hpp"
#include "injection/graphics/opengl/records.hpp"
#include "injection/graphics/opengl/signatures.hpp"
#include "injection/libraries/real_function.hpp"
#include "injection/libraries/recorder.hpp"

namespace {

using namespace prof;
using opengl::Index;
using opengl::kFunctionCount;
using opengl::kFunctions;
using opengl::Kind;

using W = opengl::Word;
using F = float;
using D = double;

constexpr std::size_t kCopies = 3;

// Returns what the program gets for a function that it has looked up.
W hand_out(W name, W found) {
  return reinterpret_cast<W>(
      prof_opengl_wrapper(reinterpret_cast<const char*>(name), reinterpret_cast<void*>(found)));
}

// always_inline: it is the body of every wrapper.
template <Index function, class... Types>
[[gnu::always_inline]] inline W forward(void* address, bool is_recorded, Types... values) {
  constexpr Kind kKind = kFunctions[function].kind;
  const auto real = reinterpret_cast<W (*)(Types...)>(address);
  if constexpr (kKind == Kind::kLookUp) {
    return hand_out(values..., real(values...));
  } else {
    if (!is_recorded) return real(values...);
    if constexpr (opengl::has_effect(kKind)) opengl::before_effect(function);
    opengl::Call call{0, 0};
    if constexpr (opengl::is_recorded(kKind)) call = opengl::begin_call(function);
    if constexpr (!opengl::has_effect(kKind) && kKind != Kind::kSwap)
      if (call.start == 0) return real(values...);
    const W result = real(values...);
    if (call.start != 0) opengl::end_call(function, call);
    if constexpr (kKind == Kind::kSwap) opengl::end_frame();
    if constexpr (opengl::has_effect(kKind)) {
      const W arguments[] = {static_cast<W>(values)..., 0};
      opengl::after_effect(function, arguments, result);
    }
    return result;
  }
}

// --- Programs that are linked to the library.

// The real functions, one set for each calling object, as in libraries/calls.cpp.
libraries::Callers g_callers;
std::atomic<void*> g_linked[libraries::kMaxCallers][kFunctionCount];
// Whether the calling object is not one of the libraries of OpenGL, whose calls of each other are
// no calls of the program. Written before the real functions of the object.
std::atomic<bool> g_is_program[libraries::kMaxCallers];

bool is_of_opengl(const void* caller) {
  const link_map* const map = core::object_at(caller);
  if (map == nullptr) return false;
  const char* const slash = std::strrchr(map->l_name, '/');
  const char* const name = slash != nullptr ? slash + 1 : map->l_name;
  for (const char* begin :
       {"libGL.so", "libGLX", "libGLdispatch", "libGLESv", "libEGL", "libOpenGL.so"})
    if (std::strncmp(name, begin, std::strlen(begin)) == 0) return true;
  return false;
}

// Called in place of a function that no loaded library defines.
W missing() { return 0; }

struct Target {
  void* real;
  bool is_recorded;
};

[[gnu::cold, gnu::noinline]] Target resolve(Index function, const void* caller) {
  const std::uint32_t index = g_callers.add(caller);
  const opengl::Function& traced = kFunctions[function];
  void* const real =
      libraries::find_real_function(traced.name, caller, traced.is_egl() ? "EGL" : "GL");
  if (real == nullptr) {
    if (prof_library_missing != nullptr) prof_library_missing(opengl::kLibrary);
    return {reinterpret_cast<void*>(missing), false};
  }
  const bool is_program = !is_of_opengl(caller);
  g_is_program[index].store(is_program, std::memory_order_relaxed);
  g_linked[index][function].store(real, std::memory_order_release);
  return {real, is_program};
}

[[gnu::always_inline]] inline Target find_linked(Index function, const void* caller) {
  const std::uint32_t index = g_callers.find(caller);
  void* const real = g_linked[index][function].load(std::memory_order_acquire);
  if (real == nullptr) [[unlikely]]
    return resolve(function, caller);
  return {real, g_is_program[index].load(std::memory_order_relaxed)};
}

// --- Functions that the program has looked up.

std::atomic<void*> g_found[kCopies][kFunctionCount];

template <Index function, std::size_t copy, class... Types>
W call_found(Types... values) {
  return forward<function>(g_found[copy][function].load(std::memory_order_relaxed), true,
                           values...);
}

using Wrapper = void (*)();

template <std::size_t copy>
const Wrapper kWrappers[] = {
#define OPENGL_FUNCTION(name, kind, signature) \
  reinterpret_cast<Wrapper>(&call_found<opengl::k_##name, copy TYPES_##signature>),
#include "injection/graphics/opengl/opengl.def"
};

void* wrapper(std::size_t copy, Index function) {
  static_assert(kCopies == 3);
  const Wrapper* const all[] = {kWrappers<0>, kWrappers<1>, kWrappers<2>};
  return reinterpret_cast<void*>(all[copy][function]);
}

// The functions in the order of their names.
struct SortedFunctions {
  std::uint16_t indexes[kFunctionCount];
};

constexpr bool is_before(const char* a, const char* b) {
  while (*a != '\0' && *a == *b) ++a, ++b;
  return *a < *b;
}

constexpr SortedFunctions sorted_functions() {
  SortedFunctions sorted{};
  for (std::uint16_t i = 0; i < kFunctionCount; ++i) {
    std::uint32_t at = i;
    for (; at > 0 && is_before(kFunctions[i].name, kFunctions[sorted.indexes[at - 1]].name); --at)
      sorted.indexes[at] = sorted.indexes[at - 1];
    sorted.indexes[at] = i;
  }
  return sorted;
}
constexpr SortedFunctions kSorted = sorted_functions();

// Returns kFunctionCount if the function is not traced.
Index find_function(const char* name) {
  std::size_t begin = 0;
  std::size_t end = kFunctionCount;
  while (begin < end) {
    const std::size_t middle = (begin + end) / 2;
    const int order = std::strcmp(name, kFunctions[kSorted.indexes[middle]].name);
    if (order == 0) return static_cast<Index>(kSorted.indexes[middle]);
    if (order < 0)
      end = middle;
    else
      begin = middle + 1;
  }
  return opengl::kFunctionCount;
}

bool is_ours(const void* function) {
  const link_map* const own = core::object_at(reinterpret_cast<const void*>(&is_ours));
  return core::object_at(function) == own;
}

}  // namespace

void* prof_opengl_wrapper(const char* name, void* real) {
  if (real == nullptr || name == nullptr || prof_is_library_traced == nullptr ||
      !prof_is_library_traced(opengl::kLibrary))
    return real;
  const Index function = find_function(name);
  if (function == opengl::kFunctionCount || is_ours(real)) return real;
  for (std::size_t copy = 0; copy < kCopies; ++copy) {
    void* known = nullptr;
    if (g_found[copy][function].compare_exchange_strong(known, real, std::memory_order_relaxed) ||
        known == real)
      return wrapper(copy, function);
  }
  return real;
}

#define OPENGL_FUNCTION(name, kind, signature)                                               \
  extern "C" [[gnu::visibility("default")]] W name(PARAMETERS_##signature) {                 \
    const Target target = find_linked(opengl::k_##name, __builtin_return_address(0));        \
    return forward<opengl::k_##name>(target.real, target.is_recorded ARGUMENTS_##signature); \
  }
#define EXTENSION_FUNCTION(...)
#include "injection/graphics/opengl/opengl.def"
