/* Switches stacks while a wrapped call is in progress, in both directions, and leaves some stacks
 * for good: by swapcontext in a callback of nftw, and by longjmp out of a handler on another
 * stack. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <ftw.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <ucontext.h>
#include <unistd.h>

enum { kCoroutines = 8, kStack = 64 * 1024 };
static ucontext_t g_main, g_coroutines[kCoroutines];
static char g_stacks[kCoroutines][kStack];
static int g_null, g_current, g_writes;
static sigjmp_buf g_back;

static void write_one(void) {
  if (write(g_null, "x", 1) != 1) _exit(3);
  ++g_writes;
}

static void yield(void) { swapcontext(&g_coroutines[g_current], &g_main); }

static int on_entry(const char* path, const struct stat* info, int type, struct FTW* where) {
  (void)path, (void)info, (void)type, (void)where;
  write_one();
  yield(); /* in the middle of nftw */
  write_one();
  return 0;
}

static void run(void) {
  for (;;) {
    nftw("/proc/self/fdinfo", on_entry, 4, FTW_PHYS);
    yield();
  }
}

static void on_signal(int signal) {
  (void)signal;
  write_one();
  siglongjmp(g_back, 1);
}

int main(void) {
  g_null = open("/dev/null", O_WRONLY);
  for (int i = 0; i < kCoroutines; ++i) {
    getcontext(&g_coroutines[i]);
    g_coroutines[i].uc_stack.ss_sp = g_stacks[i];
    g_coroutines[i].uc_stack.ss_size = kStack;
    g_coroutines[i].uc_link = &g_main;
    makecontext(&g_coroutines[i], run, 0);
  }
  srand(1);
  for (int i = 0; i < 5000; ++i) {
    g_current = rand() % kCoroutines;
    write_one();
    swapcontext(&g_main, &g_coroutines[g_current]);
  }
  struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK | SA_NODEFER};
  const stack_t stack = {.ss_sp = g_stacks[0], .ss_size = kStack};
  sigaltstack(&stack, NULL);
  sigaction(SIGUSR1, &action, NULL);
  for (volatile int i = 0; i < 300; ++i)
    if (sigsetjmp(g_back, 1) == 0) raise(SIGUSR1);
  for (int i = 0; i < 10; ++i) write_one();
  printf("{\"write\": %d}\n", g_writes);
  return 0;
}
