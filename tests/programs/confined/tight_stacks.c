/* Threads and signal handlers with the smallest stacks allowed start children and make calls. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static int g_null;
static const char* g_way;

static void on_signal(int signal) {
  (void)signal;
  for (int i = 0; i < 100; ++i)
    if (write(g_null, "x", 1) != 1) _exit(3);
}

static void* body(void* unused) {
  (void)unused;
  if (write(g_null, "x", 1) != 1) _exit(3);
  char* arguments[] = {"true", NULL};
  char* environment[] = {"ONLY=1", NULL};
  pid_t child = 0;
  if (strcmp(g_way, "spawn") == 0 &&
      posix_spawn(&child, "/bin/true", NULL, NULL, arguments, environment) != 0)
    _exit(4);
  if (strcmp(g_way, "spawnp") == 0 &&
      posix_spawnp(&child, "true", NULL, NULL, arguments, environment) != 0)
    _exit(4);
  if (strcmp(g_way, "fork") == 0 && (child = fork()) == 0) {
    if (write(g_null, "x", 1) != 1) _exit(3);
    execve("/bin/true", arguments, environment);
    _exit(5);
  }
  int status = 0;
  if (child != 0 && (waitpid(child, &status, 0) != child || status != 0)) _exit(6);
  return NULL;
}

int main(int count, char** arguments) {
  g_way = count > 1 ? arguments[1] : "";
  g_null = open("/dev/null", O_WRONLY);
  /* in low memory, with no mapping below */
  const size_t size = (size_t)sysconf(_SC_THREAD_STACK_MIN);
  for (int i = 0; i < 20; ++i) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    char* low = mmap((void*)0x20000000, size + 8192, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(low + 4096, size, PROT_READ | PROT_WRITE);
    pthread_attr_setstack(&attributes, low + 4096, size);
    pthread_t thread;
    if (pthread_create(&thread, &attributes, body, NULL) != 0) return 2;
    pthread_join(thread, NULL);
    munmap(low, size + 8192);
  }
  const size_t least =
      (size_t)sysconf(_SC_MINSIGSTKSZ) + 1024; /* for what handlers themselves need */
  char* alternate = mmap(NULL, least + 8192, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const size_t pages = (least + 4095) / 4096 * 4096;
  mprotect(alternate + 4096, pages, PROT_READ | PROT_WRITE);
  const stack_t stack = {.ss_sp = alternate + 4096, .ss_size = least};
  struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};
  if (sigaltstack(&stack, NULL) != 0 || sigaction(SIGUSR1, &action, NULL) != 0) return 2;
  for (int i = 0; i < 50; ++i) raise(SIGUSR1);
  printf("{\"write\": 5020}\n");
  return 0;
}
