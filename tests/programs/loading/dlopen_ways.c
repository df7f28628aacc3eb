/* Opens libraries by RUNPATH, with RTLD_DEEPBIND, in another namespace, and repeatedly. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

typedef int (*write_some)(int fd, int count);

static int call(void* library, int fd) {
  if (library == NULL) {
    puts(dlerror());
    _exit(3);
  }
  const write_some function = (write_some)dlsym(library, "write_some");
  return function(fd, 100);
}

int main(void) {
  const int null = open("/dev/null", O_WRONLY);
  /* found only by this program's RUNPATH */
  void* found = dlopen("libdlopened.so", RTLD_NOW | RTLD_LOCAL);
  int written = call(found, null);
  dlclose(found);
  void* deep = dlopen("libdlopened.so", RTLD_NOW | RTLD_DEEPBIND);
  const int past_us = call(deep, null); /* binds to libc directly */
  dlclose(deep);
  void* apart = dlmopen(LM_ID_NEWLM, "libdlopened.so", RTLD_NOW);
  const int elsewhere = call(apart, null); /* a libc of its own */
  dlclose(apart);
  for (int i = 0; i < 500; ++i) {
    void* again = dlopen("libdlopened.so", RTLD_NOW | RTLD_LOCAL);
    if (i % 100 == 0) written += call(again, null);
    dlclose(again);
  }
  printf("past %d elsewhere %d\n", past_us, elsewhere);
  printf("{\"write\": %d}\n", written);
  return 0;
}
