/* A preloaded library whose constructor reads files and starts a thread, before or after prof's
 * constructor. */
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static void* in_thread(void* unused) {
  (void)unused;
  usleep(1000);
  return NULL;
}

__attribute__((constructor(101))) static void at_load(void) {
  char buffer[64];
  const int fd = open("/proc/self/status", O_RDONLY);
  if (fd >= 0 && read(fd, buffer, sizeof buffer) > 0) setenv("CTOR_RAN", "1", 1);
  close(fd);
  pthread_t thread;
  pthread_create(&thread, NULL, in_thread, NULL);
  pthread_join(thread, NULL);
}
