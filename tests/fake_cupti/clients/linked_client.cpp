// A client that is linked to libcupti, as PyTorch is. The functions that have a subscriber are weak
// symbols, as in JAX.
#include "client.hpp"

#define X(name, params) CUptiResult weak_##name params __asm__(#name) __attribute__((weak));
namespace fake {
extern "C" {
SCOPED_FUNCTIONS(X)
}
}  // namespace fake
#undef X

namespace {

// The code after the call keeps the compiler from jumping to CUPTI, which would then see the return
// address of the program instead of this library's.
template <auto function>
struct From;
template <class... Arguments, CUptiResult (*function)(Arguments...)>
struct From<function> {
  static CUptiResult call(Arguments... arguments) {
    const CUptiResult result = function(arguments...);
    asm volatile("" ::: "memory");
    return result;
  }
};

#define X(name) From<::name>::call,
constexpr fake::Cupti kFunctions{CLIENT_FUNCTIONS(X)};
#undef X

}  // namespace

extern "C" __attribute__((visibility("default"))) const fake::ScopedCupti* fake_scoped_client() {
#define X(name, params) fake::weak_##name == nullptr ? nullptr : From<fake::weak_##name>::call,
  static const fake::ScopedCupti functions{SCOPED_FUNCTIONS(X)};
#undef X
  return &functions;
}

extern "C" __attribute__((visibility("default"))) const fake::Cupti* fake_client() {
  return &kFunctions;
}
