/* Opens libEGL.so.1 in the ways in which programs do, and prints what it gets: the same with and
   without a profiler. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static const char* kName = "libEGL.so.1";

static void look_up(void* library, const char* name) {
  dlerror();
  const void* found = dlsym(library, name);
  const char* error = dlerror();
  printf("  %s: %s, %s\n", name, found == NULL ? "null" : "found",
         error == NULL ? "no error" : "error");
}

static void look_up_all(const char* way, void* library) {
  printf("%s: %s\n", way, library == NULL ? dlerror() : "opened");
  if (library == NULL) return;
  const char* const names[] = {"eglQueryString",  "eglSwapBuffers", "eglGetProcAddress",
                               "glClear",         "glXSwapBuffers", "gl_private_answer",
                               "no_such_function"};
  for (unsigned i = 0; i < sizeof names / sizeof *names; ++i) look_up(library, names[i]);
}

int main(int count, char** words) {
  if (count > 1) kName = words[1];
  printf("loaded before: %s\n", dlopen(kName, RTLD_LAZY | RTLD_NOLOAD) == NULL ? "no" : "yes");
  void* library = dlopen(kName, RTLD_LAZY | RTLD_LOCAL);
  look_up_all("dlopen", library);
  if (library == NULL) return 0;
  void* again = dlopen(kName, RTLD_NOW);
  printf("the same handle again: %s\n", again == library ? "yes" : "no");
  void* known = dlopen(kName, RTLD_LAZY | RTLD_NOLOAD);
  printf("the same handle if it is loaded: %s\n", known == library ? "yes" : "no");
  printf("closed: %d %d %d\n", dlclose(library), dlclose(again), dlclose(known));
  look_up_all("opened globally", dlopen(kName, RTLD_LAZY | RTLD_GLOBAL));
  look_up_all("another namespace", dlmopen(LM_ID_NEWLM, kName, RTLD_LAZY));
  dlopen("libEGL.so.987", RTLD_LAZY);
  printf("%s\n", dlerror());
  return 0;
}
