// The functions of GCC's libgomp that are replaced (gomp.def), and the real ones.
#pragma once

#include <cstdint>

namespace prof::openmp {

using Word = std::uint64_t;  // an argument: an integer or a pointer

#define GOMP_FUNCTION(name) k_##name,
enum GompFunction : std::uint32_t {
#include "injection/openmp/gomp.def"
  kGompFunctions
};
#undef GOMP_FUNCTION

struct GompTarget {
  void* real;
  // False if nothing traces OpenMP, or if the function is one of LLVM's runtime, which has the
  // functions of libgomp, too, and reports what they do by OMPT.
  bool is_recorded;
};

// Returns what a call of the function by the code at `caller` reaches without prof. Keeps errno.
GompTarget find_target(GompFunction function, const void* caller);

// Calls it.
template <class... Words>
[[gnu::always_inline]] inline Word call(const GompTarget& target, Words... words) {
  return reinterpret_cast<Word (*)(Words...)>(target.real)(words...);
}

}  // namespace prof::openmp

// For the definitions of the functions.
#define CALLER __builtin_return_address(0)
#define TARGET(name) ::prof::openmp::find_target(::prof::openmp::k_##name, CALLER)
#define EXPORTED extern "C" [[gnu::visibility("default")]] ::prof::openmp::Word
