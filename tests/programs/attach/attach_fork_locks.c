// Has its own dlerror(), which takes long, as libc's can while it holds the lock of setlocale.
// Forks whenever a thread of prof is in it. A line of standard input: how many children there were,
// and how many of them were forked with the lock held.
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static atomic_int g_locked, g_children, g_locked_children;

__attribute__((visibility("default"))) char* dlerror(void) {
  atomic_store(&g_locked, 1);
  usleep(20000);
  atomic_store(&g_locked, 0);
  return NULL;
}

static void* watch(void* unused) {
  for (;;) {
    while (!atomic_load(&g_locked)) sched_yield();
    const pid_t child = fork();
    if (child == 0) _exit(atomic_load(&g_locked));
    int status = 0;
    waitpid(child, &status, 0);
    atomic_fetch_add(&g_children, 1);
    if (status != 0) atomic_fetch_add(&g_locked_children, 1);
    while (atomic_load(&g_locked)) sched_yield();
  }
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, watch, NULL);
  puts("ready");
  fflush(stdout);
  char line[64];
  while (fgets(line, sizeof line, stdin) != NULL) {
    printf("%d %d\n", atomic_load(&g_children), atomic_load(&g_locked_children));
    fflush(stdout);
  }
  return 7;
}
