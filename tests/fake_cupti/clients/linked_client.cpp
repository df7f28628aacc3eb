// A client that is linked to libcupti, as PyTorch is.
#include "client.hpp"

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

extern "C" __attribute__((visibility("default"))) const fake::Cupti* fake_client() {
  return &kFunctions;
}
