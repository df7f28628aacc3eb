// A function of cuBLAS that looks up the real one, as libraries have that open cuBLAS late.
#include <dlfcn.h>
#include <stddef.h>

static int (*real_create)(void**);

int cublasCreate_v2(void** handle) { return real_create == NULL ? -1 : real_create(handle); }

int call_create(void* library) {
  *(void**)&real_create = dlsym(library, "cublasCreate_v2");
  void* handle = NULL;
  return cublasCreate_v2(&handle);
}
