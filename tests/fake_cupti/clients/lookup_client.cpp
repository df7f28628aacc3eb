// A client that looks CUPTI's functions up, as XLA and Proton do.
#include <dlfcn.h>

#include "client.hpp"

#ifndef CUPTI_FILE
#define CUPTI_FILE "libcupti.so.13"
#endif

namespace {

fake::Cupti g_found;
fake::ScopedCupti g_scoped;

// See linked_client.cpp.
template <auto& table, auto member>
struct From;
template <auto& table, class Table, class... Arguments, CUptiResult (*Table::*member)(Arguments...)>
struct From<table, member> {
  static CUptiResult call(Arguments... arguments) {
    const CUptiResult result = (table.*member)(arguments...);
    asm volatile("" ::: "memory");
    return result;
  }
};

#define X(name) From<g_found, &fake::Cupti::name>::call,
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

extern "C" __attribute__((visibility("default"))) const fake::ScopedCupti* fake_scoped_client() {
  static fake::ScopedCupti functions{};
  void* const library = dlopen(CUPTI_FILE, RTLD_NOW | RTLD_LOCAL);
#define X(name, params)                                                             \
  g_scoped.name = reinterpret_cast<decltype(g_scoped.name)>(dlsym(library, #name)); \
  if (g_scoped.name != nullptr) functions.name = From<g_scoped, &fake::ScopedCupti::name>::call;
  SCOPED_FUNCTIONS(X)
#undef X
  return &functions;
}
