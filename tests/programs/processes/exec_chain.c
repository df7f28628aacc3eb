/* Executes itself through /proc/self/exe, in the way that argv[1] names, and writes in each image.
 * argv[2]: number of images that follow. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "expect.h"

extern char** environ;

static char* g_arguments[4];
static char g_left[16];

static void* execute(void* unused) {
  execve("/proc/self/exe", g_arguments, environ);
  return unused;
}

int main(int count, char** words) {
  if (count < 3) return 2;
  const int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
  for (int i = 0; i < 10; ++i)
    if (write(null, "x", 1) != 1) return 3;
  const int left = atoi(words[2]);
  if (left == 0) {
    printf("{\"pid\": %d}\n", (int)getpid());
    return 6;
  }
  snprintf(g_left, sizeof g_left, "%d", left - 1);
  g_arguments[0] = words[0];
  g_arguments[1] = words[1];
  g_arguments[2] = g_left;
  static char* nothing[] = {NULL};
  if (strcmp(words[1], "null") == 0) environ = NULL;
  if (strcmp(words[1], "empty") == 0) environ = nothing;
  if (strcmp(words[1], "unset") == 0) {
    unsetenv("LD_PRELOAD");
    unsetenv("PROF_SESSION");
  }
  if (strcmp(words[1], "thread") == 0) {
    pthread_t thread;
    pthread_create(&thread, NULL, execute, NULL);
    pthread_join(thread, NULL);
  }
  execute(NULL);
  return 4;
}
