// Loads Python as a library, runs a script in it and ends the interpreter, twice. No interpreter is
// there when the program starts and when it ends.
#include <dlfcn.h>
#include <stdio.h>

typedef void (*Action)(void);
typedef int (*Run)(const char*);

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  void* python = dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL);
  if (python == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    return 3;
  }
  const Action start = (Action)dlsym(python, "Py_Initialize");
  const Action end = (Action)dlsym(python, "Py_Finalize");
  const Run run = (Run)dlsym(python, "PyRun_SimpleString");
  void* calls = dlopen(argv[2], RTLD_NOW);
  const Action launch = (Action)dlsym(calls, "fake_launch");
  ((Action)dlsym(calls, "fake_init"))();
  char script[1024];
  snprintf(script, sizeof script,
           "import ctypes\n"
           "def launches():\n"
           "    ctypes.CDLL('%s').fake_launch()\n"
           "launches()\n",
           argv[2]);
  launch();
  start();
  const int failed = run(script);
  launch();
  end();
  launch();
  return failed;
}
