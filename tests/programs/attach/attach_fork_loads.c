// Forks on three threads all the time. A child that has prof's library mapped asks the loader for
// it, and starts a thread. A line of standard input: how many children there were, how many of them
// had the library, how many had it in part (its constructors had not run), and how many failed.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { kWithout, kWhole, kInPart, kFailed, kKinds };
static atomic_long g_children[kKinds];

// The path of a mapping of the library; null: there is none.
static char* find_library(void) {
  static char text[1 << 18];
  const int file = open("/proc/self/maps", O_RDONLY);
  size_t size = 0;
  for (ssize_t got; (got = read(file, text + size, sizeof text - 1 - size)) > 0;)
    size += (size_t)got;
  close(file);
  text[size] = '\0';
  char* name = strstr(text, "libprof_inject.so");
  if (name == NULL) return NULL;
  name[strlen("libprof_inject.so")] = '\0';
  return strchr(strrchr(text, '\n') + 1, '/');
}

static void* nothing(void* unused) { return unused; }

static int look(void) {
  alarm(20);
  char* path = find_library();
  int kind = kWithout;
  if (path != NULL) {
    void* library = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
    const uint32_t* block = library == NULL ? NULL : dlsym(library, "prof_attach_block");
    kind = block != NULL && block[3] == 1 ? kWhole : kInPart;
  }
  pthread_t thread;
  if (pthread_create(&thread, NULL, nothing, NULL) != 0 || pthread_join(thread, NULL) != 0)
    return kFailed;
  return kind;
}

static void* fork_always(void* unused) {
  for (;;) {
    const pid_t child = fork();
    if (child == 0) _exit(look());
    int status = 0;
    waitpid(child, &status, 0);
    atomic_fetch_add(&g_children[WIFEXITED(status) ? WEXITSTATUS(status) : kFailed], 1);
  }
  return unused;
}

int main(void) {
  enum { kThreads = 3 };
  for (int i = 0; i < kThreads; ++i) {
    pthread_t thread;
    pthread_create(&thread, NULL, fork_always, NULL);
  }
  puts("ready");
  fflush(stdout);
  char line[64];
  while (fgets(line, sizeof line, stdin) != NULL) {
    long all = 0;
    for (int i = 0; i < kKinds; ++i) all += atomic_load(&g_children[i]);
    printf("%ld %ld %ld %ld\n", all, atomic_load(&g_children[kWhole]),
           atomic_load(&g_children[kInPart]), atomic_load(&g_children[kFailed]));
    fflush(stdout);
  }
  _exit(7);
}
