/* A library that is preloaded into prof itself, as by another tool. It starts a thread that blocks
 * no signal, so the kernel gives it the signals that prof waits for. With TAKE_STATUS set it takes
 * the exit status too. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void* in_thread(void* take_status) {
  for (;;) {
    if (take_status != NULL) waitpid(-1, NULL, 0);
    usleep(1000);
  }
  return NULL;
}

extern char* program_invocation_short_name;

__attribute__((constructor)) static void start(void) {
  pthread_t thread;
  if (strcmp(program_invocation_short_name, "prof") == 0)
    pthread_create(&thread, NULL, in_thread, getenv("TAKE_STATUS"));
}
