/* Makes long calls, each from a different function at a known depth. Prints the functions,
 * innermost first, and the function that must be the last of the call chain. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#define OUT_OF_LINE __attribute__((noinline))
enum { kLong = 20 * 1000 * 1000 }; /* ns */

static void take_a_break(void) {
  struct timespec time = {.tv_nsec = kLong};
  nanosleep(&time, NULL);
}

/* A chain of real calls: no tail call becomes a jump. */
static volatile int g_depth;
#define THEN(call) \
  do {             \
    call;          \
    ++g_depth;     \
  } while (0)

OUT_OF_LINE void sleep_inner(void) { THEN(usleep(kLong / 1000)); }
OUT_OF_LINE void sleep_middle(void) { THEN(sleep_inner()); }
OUT_OF_LINE void sleep_outer(void) { THEN(sleep_middle()); }

OUT_OF_LINE __attribute__((optimize("no-omit-frame-pointer"))) void framed_inner(void) {
  char room[256];
  memset(room, 1, sizeof room);
  THEN(usleep(kLong / 1000 + room[3]));
}
OUT_OF_LINE __attribute__((optimize("no-omit-frame-pointer"))) void framed_outer(void) {
  THEN(framed_inner());
}

static pthread_mutex_t g_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t g_condition = PTHREAD_COND_INITIALIZER;
static int g_pipe[2];

OUT_OF_LINE void wait_for_lock(void) {
  THEN(pthread_mutex_lock(&g_mutex));
  pthread_mutex_unlock(&g_mutex);
}
OUT_OF_LINE void wait_for_condition(void) {
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += 1;
  pthread_mutex_lock(&g_mutex);
  THEN(pthread_cond_timedwait(&g_condition, &g_mutex, &until));
  pthread_mutex_unlock(&g_mutex);
}
OUT_OF_LINE void wait_for_pipe(void) {
  char byte;
  THEN(if (read(g_pipe[0], &byte, 1) != 1) abort());
}

static volatile int g_running;

OUT_OF_LINE void* lock_thread(void* unused) {
  g_running = 1;
  THEN(wait_for_lock());
  return unused;
}
OUT_OF_LINE void* condition_thread(void* unused) {
  g_running = 1;
  THEN(wait_for_condition());
  return unused;
}
OUT_OF_LINE void* pipe_thread(void* unused) {
  g_running = 1;
  THEN(wait_for_pipe());
  return unused;
}
/* The first frame of the thread. */
OUT_OF_LINE void* top_thread(void* unused) {
  g_running = 1;
  THEN(usleep(kLong / 1000));
  return unused;
}

static void run(void* (*body)(void*), size_t stack) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  if (stack != 0) pthread_attr_setstacksize(&attributes, stack);
  pthread_t thread;
  g_running = 0;
  if (pthread_create(&thread, &attributes, body, NULL) != 0) abort();
  while (!g_running) take_a_break();
  take_a_break();
  if (body == lock_thread) pthread_mutex_unlock(&g_mutex);
  if (body == condition_thread) {
    pthread_mutex_lock(&g_mutex);
    pthread_cond_signal(&g_condition);
    pthread_mutex_unlock(&g_mutex);
  }
  if (body == pipe_thread && write(g_pipe[1], "x", 1) != 1) abort();
  pthread_join(thread, NULL);
}

/* Called by the plugin; calls back. */
typedef void (*Callback)(void);
OUT_OF_LINE void called_back(void) { THEN(usleep(kLong / 1000)); }

OUT_OF_LINE void call_plugin(const char* path) {
  void* plugin = dlopen(path, RTLD_NOW);
  void (*enter)(Callback) = plugin ? (void (*)(Callback))dlsym(plugin, "plugin_enter") : NULL;
  if (enter == NULL) abort();
  THEN(enter(called_back));
}

OUT_OF_LINE void handler(int signal) {
  (void)signal;
  THEN(usleep(kLong / 1000));
}
OUT_OF_LINE void interrupted(void) { THEN(raise(SIGUSR1)); }

static ucontext_t g_main, g_coroutine;
OUT_OF_LINE void in_coroutine(void) { THEN(usleep(kLong / 1000)); }
OUT_OF_LINE void coroutine(void) { THEN(in_coroutine()); }

OUT_OF_LINE void deep(int left) {
  if (left == 0)
    THEN(usleep(kLong / 1000));
  else
    THEN(deep(left - 1));
}

int main(int count, char** arguments) {
  if (count < 2 || pipe(g_pipe) != 0) return 2;
  sleep_outer();
  framed_outer();
  pthread_mutex_lock(&g_mutex);
  run(lock_thread, 0);
  run(condition_thread, 0);
  run(pipe_thread, 0);
  run(top_thread, (size_t)sysconf(_SC_THREAD_STACK_MIN));
  call_plugin(arguments[1]);
  deep(100);

  const size_t size = 64 * 1024;
  /* No memory is mapped above these stacks. */
  char* stacks = mmap(NULL, 4 * size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mprotect(stacks, size, PROT_READ | PROT_WRITE);
  mprotect(stacks + 2 * size, size, PROT_READ | PROT_WRITE);
  const stack_t alternate = {.ss_sp = stacks, .ss_size = size};
  struct sigaction action = {.sa_handler = handler};
  sigaction(SIGUSR1, &action, NULL);
  interrupted();
  action.sa_flags = SA_ONSTACK;
  sigaltstack(&alternate, NULL);
  sigaction(SIGUSR1, &action, NULL);
  interrupted();

  getcontext(&g_coroutine);
  g_coroutine.uc_stack.ss_sp = stacks + 2 * size;
  g_coroutine.uc_stack.ss_size = size;
  g_coroutine.uc_link = &g_main;
  makecontext(&g_coroutine, coroutine, 0);
  swapcontext(&g_main, &g_coroutine);
  printf("{\"depth\": %d}\n", g_depth);
  return 0;
}
