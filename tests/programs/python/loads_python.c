/* Loads libpython with dlopen, as PyInstaller's programs and plug-ins of servers do. Usage:
 * loads_python LIBRARY */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char** argv) {
  void* library = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL) : NULL;
  if (library == NULL) {
    fprintf(stderr, "%s\n", argc > 1 ? dlerror() : "no library given");
    return 1;
  }
  void (*initialize)(void) = (void (*)(void))dlsym(library, "Py_Initialize");
  int (*run)(const char*) = (int (*)(const char*))dlsym(library, "PyRun_SimpleString");
  int (*finalize)(void) = (int (*)(void))dlsym(library, "Py_FinalizeEx");
  initialize();
  const int failed =
      run("import time\n"
          "def busy(n):\n"
          "  s = 0\n"
          "  for i in range(n): s += i * i\n"
          "  return s\n"
          "end = time.time() + 1\n"
          "while time.time() < end: busy(20000)\n");
  return failed | finalize();
}
