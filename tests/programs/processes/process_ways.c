/* Makes one child in the way that argv[1] names. The child and its parent write a known number of
 * times. A child in its parent's memory records in the name of its parent's thread. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/sched.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "expect.h"

extern char** environ;

enum { kChildWrites = 25, kParentWrites = 7 };

static int g_null;

static void work(int count) {
  for (int i = 0; i < count; ++i)
    if (write(g_null, "x", 1) != 1) _exit(3);
}

static int child_main(void* unused) {
  (void)unused;
  work(kChildWrites);
  return 9;
}

static pid_t clone_with_stack(int flags) {
  static char stack[256 * 1024] __attribute__((aligned(16)));
  return clone(child_main, stack + sizeof stack, flags | SIGCHLD, NULL);
}

static pid_t vforked(void) {
  const pid_t child = vfork();
  if (child == 0) _exit(child_main(NULL)); /* it must not return from here */
  return child;
}

static pid_t clone3_raw(void) {
  struct clone_args arguments;
  memset(&arguments, 0, sizeof arguments);
  arguments.exit_signal = SIGCHLD;
  return (pid_t)syscall(SYS_clone3, &arguments, sizeof arguments);
}

static pid_t spawn(const char* program, int search) {
  char* arguments[] = {"dd", "if=/dev/zero", "of=/dev/null", "bs=1", "count=25", "status=none",
                       NULL};
  pid_t child = -1;
  if (search)
    posix_spawnp(&child, program, NULL, NULL, arguments, environ);
  else
    posix_spawn(&child, program, NULL, NULL, arguments, environ);
  return child;
}

/* Parent and child write at the same time, with the same thread-local data. */
static int write_long(void* unused) {
  (void)unused;
  work(20000);
  return 9;
}

static pid_t beside_each_other(void) {
  static char stack[256 * 1024] __attribute__((aligned(16)));
  const pid_t child = clone(write_long, stack + sizeof stack, CLONE_VM | SIGCHLD, NULL);
  work(20000);
  return child;
}

static int become_dd(void* unused) {
  (void)unused;
  execl("/bin/dd", "dd", "if=/dev/zero", "of=/dev/null", "bs=1", "count=25", "status=none", NULL);
  return 3;
}

static pid_t execs_beside(void) {
  static char stack[256 * 1024] __attribute__((aligned(16)));
  return clone(become_dd, stack + sizeof stack, CLONE_VM | SIGCHLD, NULL);
}

/* The child starts a thread that writes before the child itself does anything that a profiler
 * sees. */
static void* thread_main(void* unused) {
  (void)unused;
  work(kChildWrites);
  return NULL;
}

static void threads_at_once(void) {
  pthread_t threads[8];
  for (int i = 0; i < 8; ++i) pthread_create(&threads[i], NULL, thread_main, NULL);
  for (int i = 0; i < 8; ++i) pthread_join(threads[i], NULL);
  _exit(9);
}

static pid_t make_child(const char* way) {
  if (strcmp(way, "fork") == 0) return fork();
  if (strcmp(way, "_Fork") == 0) return _Fork();
  if (strcmp(way, "vfork") == 0) return vforked();
  if (strcmp(way, "clone3") == 0) return clone3_raw();
  if (strcmp(way, "clone") == 0) return clone_with_stack(0);
  if (strcmp(way, "clone_vm") == 0) return beside_each_other();
  if (strcmp(way, "clone_vm_exec") == 0) return execs_beside();
  if (strcmp(way, "clone_files") == 0) return clone_with_stack(CLONE_FILES | CLONE_FS);
  if (strcmp(way, "clone_vfork") == 0) return clone_with_stack(CLONE_VFORK);
  if (strcmp(way, "clone_vm_vfork") == 0) return clone_with_stack(CLONE_VM | CLONE_VFORK);
  if (strcmp(way, "spawn") == 0) return spawn("/bin/dd", 0);
  if (strcmp(way, "spawnp") == 0) return spawn("dd", 1);
  if (strcmp(way, "silent") == 0 || strcmp(way, "silent_exit") == 0 ||
      strcmp(way, "threads") == 0) {
    const pid_t child = fork();
    if (child == 0 && strcmp(way, "threads") == 0) threads_at_once();
    if (child == 0 && strcmp(way, "silent") == 0) _exit(9);
    if (child == 0) exit(9);
    return child;
  }
  return -1;
}

int main(int count, char** words) {
  if (count < 2) return 2;
  g_null = open("/dev/null", O_WRONLY);
  const pid_t child = make_child(words[1]);
  if (child < 0) return 4;
  if (child == 0) _exit(child_main(NULL));
  int status = -1;
  if (waitpid(child, &status, 0) != child || !WIFEXITED(status)) return 5;
  work(kParentWrites);
  printf("{\"parent\": %d, \"child\": %d, \"status\": %d}\n", (int)getpid(), (int)child,
         WEXITSTATUS(status));
  return 0;
}
