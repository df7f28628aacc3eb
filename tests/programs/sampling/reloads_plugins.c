/* Loads plug-ins, runs and unloads them, one after the other at the same address, also in fork
 * children. The argument has a digit for each plug-in to run, and F for a fork: the child goes on,
 * and its parent waits. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void run(char digit) {
  char path[4096] = {0};
  if (readlink("/proc/self/exe", path, sizeof path - 64) < 0) abort();
  sprintf(strrchr(path, '/') + 1, "opened/plugin_%c.so", digit);
  void* library = dlopen(path, RTLD_NOW);
  if (library == NULL) abort();
  void (*work)(void) = (void (*)(void))dlsym(library, "run");
  work();
  dlclose(library);
}

int main(int argc, char** argv) {
  for (const char* step = argc > 1 ? argv[1] : "1"; *step != 0; ++step) {
    if (*step != 'F') {
      run(*step);
      continue;
    }
    const pid_t child = fork();
    if (child != 0) return waitpid(child, NULL, 0) == child ? 0 : 1;
  }
  return 0;
}
