// dlopened PLUGIN: a program that knows nothing of the libraries but opens, as Python does its
// extensions, a plugin beside it that is linked to them: they are in no global scope.
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

int main(int count, char** arguments) {
  char path[4096];
  if (count < 2) return 2;
  snprintf(path, sizeof path, "%s", arguments[0]);
  strcpy(strrchr(path, '/') + 1, arguments[1]);
  void* plugin = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
  if (plugin == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  int (*run)(void);
  *(void**)&run = dlsym(plugin, "run");
  const int wrong = run();
  return wrong != 0 || dlerror() != NULL;
}
