// Forks children at the moments at which prof attaches to it: from when the arena of a session is
// mapped into this process, one each 200 us, ten in all. They stay until this process ends, and use
// what other threads of this process may have locked. A line of standard input: the ids of all
// children are printed, and the next session is waited for.
#define _GNU_SOURCE
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

enum { kChildren = 10, kMaximum = 100 };

static pid_t g_children[kMaximum];
static atomic_int g_count;
static atomic_int g_waits = 1;

static int has_arena(void) {
  static char text[1 << 18];
  const int file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  size_t size = 0;
  for (ssize_t got; (got = read(file, text + size, sizeof text - 1 - size)) > 0;
       size += (size_t)got) {
  }
  close(file);
  text[size] = '\0';
  return strstr(text, "memfd:prof-arena") != NULL;
}

static int ignore(struct dl_phdr_info* object, size_t size, void* data) {
  (void)object, (void)size, (void)data;
  return 0;
}

static void be_child(void) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (;;) {
    usleep(10000);
    dl_iterate_phdr(ignore, NULL);
    free(malloc(1000));
  }
}

static void* watch(void* unused) {
  const struct timespec pause = {0, 200000};
  for (;;) {
    while (!atomic_load(&g_waits)) usleep(1000);
    while (!has_arena()) {
    }
    for (int i = 0; i < kChildren; ++i) {
      const pid_t child = fork();
      if (child == 0) be_child();
      g_children[atomic_load(&g_count)] = child;
      atomic_fetch_add(&g_count, 1);
      nanosleep(&pause, NULL);
    }
    atomic_store(&g_waits, 0);
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
    for (int i = 0; i < atomic_load(&g_count); ++i) printf("%d ", (int)g_children[i]);
    puts("");
    fflush(stdout);
    atomic_store(&g_waits, 1);
  }
  return 7;
}
