// Usage: dlopened PLUGIN... A program that is not linked to the libraries. It opens plugins that
// are, as Python opens extensions, so the libraries are in no global scope.
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static int run_plugin(const char* program, const char* name) {
  char path[4096];
  snprintf(path, sizeof path, "%s", program);
  strcpy(strrchr(path, '/') + 1, name);
  void* plugin = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
  if (plugin == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  int (*run)(void);
  *(void**)&run = dlsym(plugin, "run");
  return run() != 0 || dlerror() != NULL;
}

int main(int count, char** arguments) {
  int wrong = 0;
  for (int i = 1; i < count; ++i) wrong += run_plugin(arguments[0], arguments[i]);
  return wrong;
}
