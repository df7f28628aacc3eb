/* Exits with 0 if dlerror() reports no error to a program that has made none. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>

int main(void) {
  const char* error = dlerror();
  if (error != NULL) fprintf(stderr, "%s\n", error);
  return error != NULL;
}
