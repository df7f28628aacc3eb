// Usage: looked_up LIBRARY... A program that opens libraries and looks up functions of cuBLAS in
// each, as XLA and CuPy do. It prints what they return.
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static void* open_beside(const char* program, const char* name) {
  char path[4096];
  snprintf(path, sizeof path, "%s", program);
  strcpy(strrchr(path, '/') + 1, name);
  return dlopen(path, RTLD_LAZY | RTLD_LOCAL);
}

int main(int count, char** arguments) {
  void* libraries[8] = {NULL};
  int wrong = 0;
  for (int i = 1; i < count && i < 8; ++i) libraries[i] = open_beside(arguments[0], arguments[i]);
  for (int i = 1; i < count && i < 8; ++i) {
    const char* (*name_of)(int);
    int (*create)(void**);
    *(void**)&name_of = dlsym(libraries[i], "cublasGetStatusName");
    *(void**)&create = dlsym(libraries[i], "cublasCreate_v2");
    wrong += create != NULL && dlerror() != NULL;
    void* handle = NULL;
    const int status = create == NULL ? -1 : create(&handle);
    printf("%s %s %d %d\n", arguments[i], name_of(0), status, handle != NULL);
    // A library may have a function of the same name that looks the real one up.
    int (*stub)(void*) = NULL;
    void* stubs = open_beside(arguments[0], "stubs.so");
    *(void**)&stub = dlsym(stubs, "call_create");
    wrong += stub(libraries[i]) != status;
    // Names that are not there, also those that only prof knows.
    for (int name = 0; name < 2; ++name) {
      dlerror();
      const void* found = dlsym(libraries[i], name == 0 ? "cublasSgemm_v2" : "cu");
      wrong += found != NULL || dlerror() == NULL;
    }
  }
  return wrong != 0;
}
