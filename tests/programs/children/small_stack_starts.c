/* A thread with a stack of argv[3] bytes starts a program with an environment of argv[1] variables,
 * in the way of argv[2]. With a fourth argument, it has none of this program's own. */
#define _GNU_SOURCE
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

static char** g_environment;
static const char* g_way;

static void execute(void) {
  char* arguments[] = {"true", NULL};
  if (strcmp(g_way, "execle") == 0)
    execle("/bin/true", "true", "a", "b", (char*)NULL, g_environment);
  if (strcmp(g_way, "execvpe") == 0) execvpe("true", arguments, g_environment);
  execve("/bin/true", arguments, g_environment);
  _exit(99);
}

static pid_t vforked(void) {
  const pid_t child = vfork();
  if (child == 0) execute(); /* it must not return from here */
  return child;
}

static pid_t forked(void) {
  const pid_t child = fork();
  if (child == 0) execute();
  return child;
}

static pid_t spawned(void) {
  char* arguments[] = {"true", NULL};
  pid_t child = -1;
  return posix_spawn(&child, "/bin/true", NULL, NULL, arguments, g_environment) == 0 ? child : -1;
}

static void* start(void* unused) {
  (void)unused;
  const int spawns = strcmp(g_way, "spawn") == 0;
  const pid_t child = spawns ? spawned() : strcmp(g_way, "vfork") == 0 ? vforked() : forked();
  int status = -1;
  waitpid(child, &status, 0);
  dprintf(1, "status %#x\n", (unsigned)status);
  return NULL;
}

static void make_environment(int variables, int with_own) {
  int own = 0;
  while (with_own && environ[own] != NULL) ++own;
  g_environment = calloc((size_t)(variables + own + 1), sizeof *g_environment);
  for (int i = 0; i < variables; ++i)
    if (asprintf(&g_environment[i], "V%06d=x", i) < 0) abort();
  memcpy(g_environment + variables, environ, (size_t)own * sizeof *environ);
}

int main(int count, char** words) {
  if (count < 4) return 2;
  g_way = words[2];
  make_environment(atoi(words[1]), count == 4);
  const size_t bytes = (size_t)atoi(words[3]);
  /* nothing is mapped around the stack */
  char* memory = mmap(NULL, bytes + (2 << 20), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  char* stack = memory + (1 << 20);
  if (mprotect(stack, bytes, PROT_READ | PROT_WRITE) != 0) return 3;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  if (pthread_attr_setstack(&attributes, stack, bytes) != 0) return 4;
  for (int i = 0; i < 3; ++i) {
    pthread_t thread;
    if (pthread_create(&thread, &attributes, start, NULL) != 0) return 5;
    pthread_join(thread, NULL);
  }
  return 0;
}
