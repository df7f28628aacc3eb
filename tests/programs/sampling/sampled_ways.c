/* Usage: sampled_ways WAY. Uses signals, timers, threads and processes while it uses the CPU, and
   checks that everything works. If samples must show its CPU time, prints that time in
   milliseconds. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#define EXPECT(condition)                                                       \
  do {                                                                          \
    if (!(condition)) {                                                         \
      fprintf(stderr, "line %d: %s (errno %d)\n", __LINE__, #condition, errno); \
      _exit(1);                                                                 \
    }                                                                           \
  } while (0)

static volatile unsigned long sink;

static double seconds_of(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

__attribute__((noinline)) static void burn(double seconds) {
  const double end = seconds_of(CLOCK_THREAD_CPUTIME_ID) + seconds;
  do
    for (int i = 0; i < 100000; ++i) sink += (unsigned long)i;
  while (seconds_of(CLOCK_THREAD_CPUTIME_ID) < end);
  sink += 1;
}

static void* burning_thread(void* seconds) {
  burn(*(double*)seconds);
  return NULL;
}

static void print_cpu_time(void) {
  printf("{\"ms\": %.0f}\n", seconds_of(CLOCK_PROCESS_CPUTIME_ID) * 1000);
}

/* --- system calls that wait; the program uses the CPU between and inside of them */

static int interrupted, cut_short;
static void note(long result, long wanted) {
  if (result < 0 && errno == EINTR) ++interrupted;
  if (result >= 0 && wanted >= 0 && result != wanted) ++cut_short;
}

static char block[1 << 20];

static void* reader(void* fd) {
  while (read(*(int*)fd, block, sizeof block) > 0) burn(0.0002);
  return NULL;
}

static void waits(void) {
  int pipes[2], full[2], sockets[2];
  EXPECT(pipe(pipes) == 0 && pipe(full) == 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) == 0);
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, reader, &full[0]);
  pthread_create(&threads[1], NULL, reader, &sockets[0]);
  const int epoll = epoll_create1(0);
  struct epoll_event event = {.events = EPOLLIN};
  epoll_ctl(epoll, EPOLL_CTL_ADD, pipes[0], &event);
  static char data[300000];
  for (int round = 0; round < 1500; ++round) {
    struct pollfd waiting = {pipes[0], POLLIN, 0};
    const struct timespec little = {0, 50000 + round % 7 * 10000};
    note(nanosleep(&little, NULL), 0);
    note(clock_nanosleep(CLOCK_MONOTONIC, 0, &little, NULL) == 0 ? 0 : -1, 0);
    note(poll(&waiting, 1, round % 2), 0);
    note(ppoll(&waiting, 1, &little, NULL), 0);
    struct timeval short_time = {0, 60};
    fd_set set;
    FD_ZERO(&set);
    FD_SET(pipes[0], &set);
    note(select(pipes[0] + 1, &set, NULL, NULL, &short_time), 0);
    note(epoll_wait(epoll, &event, 1, round % 2), 0);
    struct timeval receive = {0, 1000};  // the kernel makes two ticks of it
    setsockopt(sockets[1], SOL_SOCKET, SO_RCVTIMEO, &receive, sizeof receive);
    if (round % 4 == 0 && recv(sockets[1], data, 1, 0) < 0 && errno == EINTR) ++interrupted;
    sigset_t none;
    sigemptyset(&none);
    if (sigtimedwait(&none, NULL, &little) < 0 && errno == EINTR) ++interrupted;
    note(write(full[1], data, sizeof data), sizeof data);
    note(send(sockets[1], data, sizeof data, 0), sizeof data);
    burn(0.0003);
  }
  close(full[1]);
  shutdown(sockets[1], SHUT_RDWR);
  pthread_join(threads[0], NULL);
  pthread_join(threads[1], NULL);
  EXPECT(interrupted == 0 && cut_short == 0);
}

/* --- processes */

static void forks(void) {
  const pid_t child = fork();
  if (child == 0) {
    burn(0.4);
    const pid_t grandchild = fork();
    if (grandchild == 0) {
      double seconds = 0.4;
      pthread_t thread;
      pthread_create(&thread, NULL, burning_thread, &seconds);
      pthread_join(thread, NULL);
      _exit(0);
    }
    int status = -1;
    waitpid(grandchild, &status, 0);
    _exit(status);
  }
  burn(0.4);
  int status = -1;
  EXPECT(waitpid(child, &status, 0) == child && status == 0);
}

/* Long compared to the 20 ms that a busy machine leaves unsampled at the end of each program. */
static const double kBetweenExecs = 0.15;

static void execs(char** argv, int times) {
  burn(kBetweenExecs);
  sigset_t all;
  sigfillset(&all);
  /* Pending signals are sent again with the system call, so that a timer's signal remains one. */
  syscall(SYS_rt_sigprocmask, SIG_BLOCK, &all, NULL, 8);
  burn(kBetweenExecs);
  char left[16];
  snprintf(left, sizeof left, "%d", times - 1);
  char* arguments[] = {argv[0], times > 1 ? "execs" : "unblocks", left, NULL};
  execv("/proc/self/exe", arguments);
  EXPECT(!"exec");
}

static void unblocks(void) {
  sigset_t all, pending;
  sigfillset(&all);
  sigpending(&pending);
  syscall(SYS_rt_sigprocmask, SIG_UNBLOCK, &all, NULL, 8);
  burn(kBetweenExecs);
}

static void vforks(char** argv) {
  for (int i = 0; i < 20; ++i) {
    const pid_t child = vfork();
    if (child == 0) {
      struct sigaction ignored = {.sa_handler = SIG_IGN};
      for (int signal = SIGRTMIN; signal <= SIGRTMAX; ++signal) sigaction(signal, &ignored, NULL);
      execl("/proc/self/exe", argv[0], "nothing", (char*)NULL);
      _exit(1);
    }
    int status = -1;
    EXPECT(waitpid(child, &status, 0) == child && status == 0);
    burn(0.02);
  }
}

/* --- threads */

static int timers(void) {
  FILE* list = fopen("/proc/self/timers", "r");
  if (list == NULL) return 0;
  int count = 0;
  for (char line[256]; fgets(line, sizeof line, list) != NULL;)
    count += strncmp(line, "ID:", 3) == 0;
  fclose(list);
  return count;
}

static void churn(void) {
  double seconds = 0.0002;
  for (int i = 0; i < 3000; ++i) {
    pthread_t thread;
    EXPECT(pthread_create(&thread, NULL, burning_thread, &seconds) == 0);
    pthread_join(thread, NULL);
  }
  EXPECT(timers() <= 1);
}

/* --- signals */

static volatile sig_atomic_t seen[NSIG];
static void count(int signal) { ++seen[signal]; }
static void count_with_info(int signal, siginfo_t* info, void* context) {
  (void)context;
  if (info->si_code == SI_TIMER) abort();
  ++seen[signal];
}

static void all_signals(void) {
  struct sigaction action = {.sa_sigaction = count_with_info, .sa_flags = SA_SIGINFO | SA_RESTART};
  struct sigaction before;
  for (int signal = SIGRTMIN; signal <= SIGRTMAX; ++signal) {
    EXPECT(sigaction(signal, NULL, &before) == 0 && before.sa_handler == SIG_DFL);
    burn(0.002);
    EXPECT(sigaction(signal, &action, &before) == 0 && before.sa_handler == SIG_DFL);
    EXPECT(sigaction(signal, NULL, &before) == 0 && before.sa_sigaction == count_with_info);
  }
  burn(0.2);
  for (int signal = SIGRTMIN; signal <= SIGRTMAX; ++signal) {
    EXPECT(seen[signal] == 0);
    raise(signal);
    EXPECT(seen[signal] == 1);
  }
}

static void old_signals(void) {
  for (int number = SIGRTMIN; number <= SIGRTMAX; ++number) {
    EXPECT(signal(number, SIG_DFL) == SIG_DFL);
    EXPECT(signal(number, count) == SIG_DFL);
    EXPECT(signal(number, SIG_IGN) == count);
    EXPECT(signal(number, count) == SIG_IGN);
  }
  burn(0.1);
  for (int signal = SIGRTMIN; signal <= SIGRTMAX; ++signal) {
    EXPECT(seen[signal] == 0 && raise(signal) == 0 && seen[signal] == 1);
  }
}

/* A signal without a handler ends the process, as it does without prof. */
static void deadly_signals(void) {
  burn(0.1);
  for (int signal = SIGRTMIN; signal <= SIGRTMAX; ++signal) {
    const pid_t child = fork();
    if (child == 0) {
      burn(0.01);
      kill(getpid(), signal);
      burn(0.01);
      _exit(0);
    }
    int status = 0;
    EXPECT(waitpid(child, &status, 0) == child);
    EXPECT(WIFSIGNALED(status) && WTERMSIG(status) == signal);
  }
}

static void blocks_all(void) {
  sigset_t all, before, now;
  sigfillset(&all);
  EXPECT(pthread_sigmask(SIG_BLOCK, &all, &before) == 0);
  burn(0.5);
  EXPECT(pthread_sigmask(SIG_BLOCK, NULL, &now) == 0);
  for (int signal = SIGRTMIN; signal <= SIGRTMAX; ++signal) {
    EXPECT(!sigismember(&before, signal) && sigismember(&now, signal));
  }
  double seconds = 0.5;
  pthread_t thread;
  EXPECT(pthread_create(&thread, NULL, burning_thread, &seconds) == 0);
  pthread_join(thread, NULL);
  /* A signal that was sent stays pending until it is taken. */
  for (int signal = SIGRTMIN; signal <= SIGRTMAX; ++signal) {
    pthread_kill(pthread_self(), signal);
    burn(0.002);
    int taken = 0;
    EXPECT(sigwait(&all, &taken) == 0 && taken == signal);
  }
  EXPECT(sigprocmask(SIG_SETMASK, &before, &now) == 0);
  for (int signal = SIGRTMIN; signal <= SIGRTMAX; ++signal) EXPECT(sigismember(&now, signal));
  EXPECT(sigprocmask(SIG_BLOCK, NULL, &now) == 0);
  for (int signal = SIGRTMIN; signal <= SIGRTMAX; ++signal) EXPECT(!sigismember(&now, signal));
}

/* Signals are blocked and waited for, one after the other. */
static void waits_for_each(void) {
  for (int signal = SIGRTMIN; signal <= SIGRTMAX; ++signal) {
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, signal);
    EXPECT(sigprocmask(SIG_BLOCK, &one, NULL) == 0);
    burn(0.01);
    kill(getpid(), signal);
    burn(0.01);
    siginfo_t info;
    EXPECT(sigwaitinfo(&one, &info) == signal && info.si_code == SI_USER);
    EXPECT(sigprocmask(SIG_UNBLOCK, &one, NULL) == 0);
  }
}

static void on_own_stack(int signal) {
  burn(0.1);
  ++seen[signal];
}

/* The kernel needs a part of it, and all of it with AVX-512. */
static void small_signal_stack(void) {
  static char memory[2048];
  const stack_t small = {.ss_sp = memory, .ss_size = sizeof memory};
  stack_t now;
  EXPECT(sigaltstack(&small, NULL) == 0);
  burn(0.3);
  EXPECT(sigaltstack(NULL, &now) == 0 && now.ss_sp == memory && now.ss_size == sizeof memory);
  const stack_t none = {.ss_flags = SS_DISABLE};
  EXPECT(sigaltstack(&none, NULL) == 0);
  burn(0.3);
}

static void large_signal_stack(void) {
  static char memory[65536];
  const stack_t large = {.ss_sp = memory, .ss_size = sizeof memory};
  EXPECT(sigaltstack(&large, NULL) == 0);
  const struct sigaction action = {.sa_handler = on_own_stack, .sa_flags = SA_ONSTACK};
  sigaction(SIGUSR1, &action, NULL);
  for (int i = 0; i < 5; ++i) raise(SIGUSR1);
  EXPECT(seen[SIGUSR1] == 5);
}

static void own_timers(void) {
  const struct sigaction action = {.sa_handler = count, .sa_flags = SA_RESTART};
  sigaction(SIGPROF, &action, NULL);
  sigaction(SIGALRM, &action, NULL);
  sigaction(SIGUSR2, &action, NULL);
  const struct itimerval every = {{0, 10000}, {0, 10000}};
  setitimer(ITIMER_PROF, &every, NULL);
  setitimer(ITIMER_REAL, &every, NULL);
  timer_t timer;
  struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR2};
  EXPECT(timer_create(CLOCK_PROCESS_CPUTIME_ID, &event, &timer) == 0);
  const struct itimerspec period = {{0, 10000000}, {0, 10000000}};
  EXPECT(timer_settime(timer, 0, &period, NULL) == 0);
  /* The kernel checks these timers at its ticks. On a busy machine another program may run at each
   * tick. */
  const double latest = seconds_of(CLOCK_MONOTONIC) + 30;
  do burn(0.5);
  while ((seen[SIGPROF] <= 5 || seen[SIGUSR2] <= 5) && seconds_of(CLOCK_MONOTONIC) < latest);
  EXPECT(seen[SIGPROF] > 5 && seen[SIGALRM] > 5 && seen[SIGUSR2] > 5);
  EXPECT(timer_delete(timer) == 0);
}

static sigjmp_buf place;
static void jump(int signal) {
  (void)signal;
  siglongjmp(place, 1);
}

static void jumps(void) {
  const struct sigaction action = {.sa_handler = jump};
  sigaction(SIGALRM, &action, NULL);
  for (volatile int i = 0; i < 300; ++i) {
    if (sigsetjmp(place, 1) == 0) {
      const struct itimerval once = {{0, 0}, {0, 1000 + i}};
      setitimer(ITIMER_REAL, &once, NULL);
      for (;;) sink += 1;
    }
  }
  burn(0.2);
}

/* --- a stack at the end of the mapped memory */

static ucontext_t outer, inner;
static void on_other_stack(void) {
  burn(0.5);
  swapcontext(&inner, &outer);
}
static void other_stacks(void) {
  const size_t bytes = 64 * 1024, page = 4096;
  char* stack =
      mmap(NULL, bytes + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  EXPECT(mprotect(stack + bytes, page, PROT_NONE) == 0);
  getcontext(&inner);
  inner.uc_stack.ss_sp = stack;
  inner.uc_stack.ss_size = bytes;
  inner.uc_link = &outer;
  makecontext(&inner, on_other_stack, 0);
  swapcontext(&outer, &inner);
}

/* --- a filter that kills for any system call except those that end the program: a signal handler
   could not even return */
static void confined(void) {
  burn(0.2);
  struct sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)};
  const struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  EXPECT(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0);
  for (long i = 0; i < 300000000; ++i) sink += 1;
  _exit(0);
}

int main(int argc, char** argv) {
  const char* way = argc > 1 ? argv[1] : "";
  if (!strcmp(way, "waits"))
    waits();
  else if (!strcmp(way, "forks"))
    forks();
  else if (!strcmp(way, "execs"))
    execs(argv, argc > 2 ? atoi(argv[2]) : 5);
  else if (!strcmp(way, "unblocks"))
    unblocks();
  else if (!strcmp(way, "vforks"))
    vforks(argv);
  else if (!strcmp(way, "churn"))
    churn();
  else if (!strcmp(way, "all_signals"))
    all_signals();
  else if (!strcmp(way, "old_signals"))
    old_signals();
  else if (!strcmp(way, "deadly_signals"))
    deadly_signals();
  else if (!strcmp(way, "blocks_all"))
    blocks_all();
  else if (!strcmp(way, "waits_for_each"))
    waits_for_each();
  else if (!strcmp(way, "small_signal_stack"))
    small_signal_stack();
  else if (!strcmp(way, "large_signal_stack"))
    large_signal_stack();
  else if (!strcmp(way, "own_timers"))
    own_timers();
  else if (!strcmp(way, "jumps"))
    jumps();
  else if (!strcmp(way, "other_stacks"))
    other_stacks();
  else if (!strcmp(way, "confined"))
    confined();
  else if (strcmp(way, "nothing") != 0)
    return 2;
  print_cpu_time();
  return 0;
}
