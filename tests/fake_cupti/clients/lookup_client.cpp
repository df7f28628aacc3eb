// A client that looks CUPTI's functions up, as XLA and Proton do.
#include <dlfcn.h>

#include "client.hpp"

#ifndef CUPTI_FILE
#define CUPTI_FILE "libcupti.so.13"
#endif

namespace {

fake::Cupti g_found;

// See linked_client.cpp.
template <auto member>
struct From;
template <class... Arguments, CUptiResult (*fake::Cupti::*member)(Arguments...)>
struct From<member> {
  static CUptiResult call(Arguments... arguments) {
    const CUptiResult result = (g_found.*member)(arguments...);
    asm volatile("" ::: "memory");
    return result;
  }
};

#define X(name) From<&fake::Cupti::name>::call,
constexpr fake::Cupti kFunctions{CLIENT_FUNCTIONS(X)};
#undef X

}  // namespace

extern "C" __attribute__((visibility("default"))) const fake::Cupti* fake_client() {
  void* const library = dlopen(CUPTI_FILE, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return nullptr;
#define X(name) g_found.name = reinterpret_cast<decltype(&::name)>(dlsym(library, #name));
  CLIENT_FUNCTIONS(X)
#undef X
  return &kFunctions;
}
