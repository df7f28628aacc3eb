// Threads, stacks, signals, child processes, and programs that seccomp confines.
#define _GNU_SOURCE
#include <alloca.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "attach_kinds.h"

static void run_until_end(void) {
  say_ready();
  while (!has_ended()) usleep(1000);
}

static void* wait_in_epoll(void* unused) {
  (void)unused;
  const int epoll = epoll_create1(0);
  struct epoll_event event;
  while (!has_ended()) {
    const int got = epoll_wait(epoll, &event, 1, 100);
    if (got != 0) complain("epoll_wait in a thread", got);
  }
  return NULL;
}
static void* wait_in_condition(void* unused) {
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
  pthread_mutex_lock(&mutex);
  for (;;) pthread_cond_wait(&condition, &mutex);
  return unused;
}
static void* use_malloc(void* unused) {
  (void)unused;
  while (!has_ended())
    for (int i = 1; i < 1000; ++i) {
      char* volatile memory = malloc((size_t)i * 7);
      memory[0] = 1;
      free(memory);
    }
  return NULL;
}

static void run_threads(void) {
  pthread_t threads[8];
  void* (*const kWork[])(void*) = {wait_in_condition, wait_in_condition, wait_in_condition,
                                   use_malloc,        use_malloc,        wait_in_epoll};
  for (int i = 0; i < 6; ++i) pthread_create(&threads[i], NULL, kWork[i], NULL);
  say_ready();
  wait_in_epoll(NULL);
  for (int i = 3; i < 6; ++i) pthread_join(threads[i], NULL);
}
static void run_epoll_threads(void) {
  pthread_t threads[6];
  for (int i = 0; i < 6; ++i) pthread_create(&threads[i], NULL, wait_in_epoll, NULL);
  say_ready();
  wait_in_epoll(NULL);
  for (int i = 0; i < 6; ++i) pthread_join(threads[i], NULL);
}
static void run_computing(void) {
  say_ready();
  double first = 0;
  while (!has_ended()) {
    volatile double sum = 0;
    for (int i = 1; i < 2000000; ++i) sum = sum + 1.0 / i;
    if (first == 0) first = sum;
    if (sum != first) complain("another sum", 0);
  }
}
static void run_allocating(void) {
  say_ready();
  use_malloc(NULL);
}
static void* end_at_once(void* unused) { return unused; }
static void run_short_threads(void) {
  say_ready();
  while (!has_ended()) {
    pthread_t thread;
    const int error = pthread_create(&thread, NULL, end_at_once, NULL);
    if (error != 0) complain("pthread_create", error);
    if (error == 0) pthread_join(thread, NULL);
  }
}
static void run_forks(void) {
  say_ready();
  while (!has_ended()) {
    int status = -1;
    const pid_t child = fork();
    if (child == 0) _exit(3);
    if (waitpid(child, &status, 0) != child || WEXITSTATUS(status) != 3) complain("fork", status);
    usleep(1000);
  }
}
static void* go_on_alone(void* unused) {
  usleep(100000);
  run_until_end();
  static const char kEnded[] = "ended\n";
  if (write(STDOUT_FILENO, kEnded, sizeof kEnded - 1) < 0) complain("write", -1);
  return unused;
}
// The last thread ends the process.
static void run_first_thread_ended(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, wait_in_epoll, NULL);
  pthread_create(&threads[1], NULL, go_on_alone, NULL);
  pthread_exit(NULL);
}

// A stack that the program has made, with little room, and memory next to it that is not its own.
enum { kStackBytes = 64 * 1024, kRoom = 600 };
static unsigned char* g_neighbour;
static atomic_int g_is_deep, g_goes_on;
static __attribute__((noinline)) void use_all_but(long room) {
  volatile char here;
  const long left = (long)((unsigned char*)&here - (g_neighbour + kStackBytes));
  volatile char* const deep = alloca((size_t)(left - room));
  deep[0] = 1;
  g_is_deep = 1;
  const struct timespec pause = {0, 3000000};
  while (g_goes_on) nanosleep(&pause, NULL);
}
static void* run_deep(void* unused) {
  sigset_t all;
  const struct timespec none = {0, 0};
  nanosleep(&none, NULL);  // the loader needs more of the stack to find it
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, NULL);
  use_all_but(kRoom);
  return unused;
}
static void run_tight_stack(void) {
  pthread_attr_t attributes;
  pthread_t thread;
  g_neighbour =
      mmap(NULL, 2 * kStackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  memset(g_neighbour, 0x5a, kStackBytes);
  pthread_attr_init(&attributes);
  pthread_attr_setstack(&attributes, g_neighbour + kStackBytes, kStackBytes);
  g_goes_on = 1;
  pthread_create(&thread, &attributes, run_deep, NULL);
  while (!g_is_deep) usleep(1000);
  say_ready();
  while (!has_ended()) {
    for (int i = 0; i < 20000; ++i) free(malloc((size_t)i % 3000));
    long changed = 0;
    for (int i = 0; i < kStackBytes; ++i) changed += g_neighbour[i] != 0x5a;
    if (changed != 0) complain("bytes below the stack were changed", changed);
    memset(g_neighbour, 0x5a, kStackBytes);
  }
  g_goes_on = 0;
  pthread_join(thread, NULL);
}

static void wait_in_handler(int number) {
  if (number == SIGUSR2) run_until_end();
}
static void run_alternate_stack(void) {
  static char memory[256 * 1024];
  const stack_t stack = {.ss_sp = memory, .ss_size = sizeof memory};
  const struct sigaction action = {.sa_handler = wait_in_handler, .sa_flags = SA_ONSTACK};
  sigaltstack(&stack, NULL);
  sigaction(SIGUSR2, &action, NULL);
  raise(SIGUSR2);
  stack_t now;
  sigaltstack(NULL, &now);
  if (now.ss_sp != memory || now.ss_size != sizeof memory) complain("the alternate stack", 0);
}

static ucontext_t g_main, g_coroutine;
static void wait_in_coroutine(void) {
  for (;;) {
    const struct timespec pause = {0, 5000000};
    if (nanosleep(&pause, NULL) != 0) complain("nanosleep in a coroutine", -1);
    swapcontext(&g_coroutine, &g_main);
  }
}
static void run_coroutine(void) {
  static char stack[64 * 1024];
  getcontext(&g_coroutine);
  g_coroutine.uc_stack.ss_sp = stack;
  g_coroutine.uc_stack.ss_size = sizeof stack;
  makecontext(&g_coroutine, wait_in_coroutine, 0);
  say_ready();
  while (!has_ended()) {
    swapcontext(&g_main, &g_coroutine);
    usleep(5000);
  }
}

static atomic_long g_signals;
static void count_signal(int number) {
  (void)number;
  ++g_signals;
}
static void run_timer_signals(void) {
  const struct sigaction action = {.sa_handler = count_signal};
  const struct itimerval timer = {{0, 20000}, {0, 20000}};
  const int epoll = epoll_create1(0);
  struct epoll_event event;
  sigaction(SIGALRM, &action, NULL);
  setitimer(ITIMER_REAL, &timer, NULL);
  say_ready();
  // Each of these waits is interrupted by its signal, or by one that came just before it.
  while (!has_ended()) {
    const long before = g_signals;
    const int got = epoll_wait(epoll, &event, 1, 5000);
    if (got == 0 || errno != EINTR) complain("epoll_wait with signals", got);
    if (g_signals == before) complain("EINTR without a signal", 0);
  }
}

// Kills the process for what prof's threads need: clone, openat, mprotect.
static void install_filter(unsigned action) {
  const struct sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_clone, 4, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_clone3, 3, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_openat, 2, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_mprotect, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      BPF_STMT(BPF_RET | BPF_K, action)};
  const struct sock_fprog program = {sizeof code / sizeof *code, (struct sock_filter*)code};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) complain("seccomp", -1);
}
static void run_filtered(void) {
  install_filter(SECCOMP_RET_KILL_PROCESS);
  run_until_end();
}
static void run_filtered_with_error(void) {
  install_filter(SECCOMP_RET_ERRNO | EPERM);
  run_until_end();
}
static void* filter_and_wait(void* unused) {
  install_filter(SECCOMP_RET_KILL_PROCESS);
  while (!has_ended()) usleep(1000);
  return unused;
}
static void run_filtered_thread(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, filter_and_wait, NULL);
  use_malloc((say_ready(), NULL));
  pthread_join(thread, NULL);
}
// While prof records: the test attaches for longer than this.
enum { kLateUs = 900000 };
static void run_late_filter(void) {
  say_ready();
  usleep(kLateUs);
  install_filter(SECCOMP_RET_KILL_PROCESS);
  while (!has_ended()) usleep(1000);
}
static void run_late_filter_with_error(void) {
  say_ready();
  usleep(kLateUs);
  install_filter(SECCOMP_RET_ERRNO | EPERM);
  while (!has_ended()) usleep(1000);
}
static void* filter_late(void* unused) {
  usleep(kLateUs);
  return filter_and_wait(unused);
}
static void run_late_filter_in_thread(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, filter_late, NULL);
  run_until_end();
  pthread_join(thread, NULL);
}
static void run_late_filter_in_child(void) {
  say_ready();
  usleep(kLateUs);
  const pid_t child = fork();
  if (child == 0) {
    install_filter(SECCOMP_RET_KILL_PROCESS);
    while (!has_ended()) usleep(1000);
    _exit(4);
  }
  int status = 0;
  if (waitpid(child, &status, 0) != child || WEXITSTATUS(status) != 4) complain("child", status);
}
// In the strict mode only read and write are left, and exit: of a thread.
static void be_strict(void) {
  char byte;
  prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT, 0, 0, 0);
  while (read(STDIN_FILENO, &byte, 1) > 0) {
  }
  static const char kEnded[] = "ended\n";
  syscall(SYS_write, STDOUT_FILENO, kEnded, sizeof kEnded - 1);
  syscall(SYS_exit, 0);
}
static void run_strict(void) {
  say_ready();
  be_strict();
}
static void run_late_strict(void) {
  say_ready();
  usleep(kLateUs);
  be_strict();
}
static void* be_strict_in_thread(void* unused) {
  prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT, 0, 0, 0);
  char byte;
  while (read(*(int*)unused, &byte, 1) > 0) {
  }
  syscall(SYS_exit, 0);
  return NULL;
}
static void run_strict_thread(void) {
  static int ends[2];
  pthread_t thread;
  if (pipe(ends) != 0) return;
  pthread_create(&thread, NULL, be_strict_in_thread, &ends[0]);
  run_until_end();
}

const struct kind kOthers[] = {{"threads", run_threads},
                               {"epoll_threads", run_epoll_threads},
                               {"computing", run_computing},
                               {"allocating", run_allocating},
                               {"short_threads", run_short_threads},
                               {"forks", run_forks},
                               {"first_thread_ended", run_first_thread_ended},
                               {"tight_stack", run_tight_stack},
                               {"alternate_stack", run_alternate_stack},
                               {"coroutine", run_coroutine},
                               {"timer_signals", run_timer_signals},
                               {"filtered", run_filtered},
                               {"filtered_with_error", run_filtered_with_error},
                               {"filtered_thread", run_filtered_thread},
                               {"late_filter", run_late_filter},
                               {"late_filter_with_error", run_late_filter_with_error},
                               {"late_filter_in_thread", run_late_filter_in_thread},
                               {"late_filter_in_child", run_late_filter_in_child},
                               {"strict", run_strict},
                               {"late_strict", run_late_strict},
                               {"strict_thread", run_strict_thread},
                               {NULL, NULL}};
