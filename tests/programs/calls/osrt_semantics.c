/* Behaviour that wrappers must not change: cancellation, errno, interruption by signals. Prints one
 * line for each fact. The output is the same with and without prof. See also lock_semantics.c. */
#define _GNU_SOURCE
#include <aio.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

static int g_pipe[2], g_socket[2], g_epoll;
static FILE* g_stream;
static sem_t g_empty;
static pthread_cond_t g_condition = PTHREAD_COND_INITIALIZER;
static pthread_t g_main;
static pid_t g_child;

static const char* name_of(int error) { return error == 0 ? "0" : strerrorname_np(error); }

static const struct timespec kPast = {1, 0}, kNever = {1000000000000, 0}, kWrong = {1, 1000000000};

/* --- functions that block: each is a cancellation point and can be interrupted by signals */

static int in_read(void) { return read(g_pipe[0], &(char){0}, 1); }
static int in_recv(void) { return recv(g_socket[0], &(char){0}, 1, 0); }
static int in_poll(void) { return poll(&(struct pollfd){g_pipe[0], POLLIN, 0}, 1, -1); }
static int in_ppoll(void) { return ppoll(&(struct pollfd){g_pipe[0], POLLIN, 0}, 1, NULL, NULL); }
static int in_select(void) {
  fd_set set;
  FD_ZERO(&set);
  FD_SET(g_pipe[0], &set);
  return select(g_pipe[0] + 1, &set, NULL, NULL, NULL);
}
static int in_epoll_wait(void) { return epoll_wait(g_epoll, &(struct epoll_event){0}, 1, -1); }
static int in_epoll_pwait2(void) {
  return epoll_pwait2(g_epoll, &(struct epoll_event){0}, 1, NULL, NULL);
}
static int in_nanosleep(void) { return nanosleep(&kNever, NULL); }
static int in_clock_nanosleep(void) {
  errno = clock_nanosleep(CLOCK_MONOTONIC, 0, &kNever, NULL);
  return errno == 0 ? 0 : -1;
}
static int in_usleep(void) { return usleep(4000000000u); }
static int in_pause(void) { return pause(); }
static int in_sigsuspend(void) {
  sigset_t none;
  sigemptyset(&none);
  return sigsuspend(&none);
}
static int in_sem_wait(void) { return sem_wait(&g_empty); }
static int in_sem_timedwait(void) { return sem_timedwait(&g_empty, &kNever); }
static int in_sem_clockwait(void) { return sem_clockwait(&g_empty, CLOCK_MONOTONIC, &kNever); }
static int in_waitpid(void) { return waitpid(g_child, NULL, 0); }
static int in_getc(void) {
  const int got = getc(g_stream);
  clearerr(g_stream);
  return got;
}
static int in_getline(void) {
  char* line = NULL;
  size_t room = 0;
  const int got = getline(&line, &room, g_stream);
  const int saved = errno;
  clearerr(g_stream);
  free(line);
  errno = saved;
  return got;
}
/* Signals do not interrupt these functions. */
static int in_cond_wait(void) {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&mutex);
  return pthread_cond_wait(&g_condition, &mutex);
}
static int in_cond_clockwait(void) {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&mutex);
  return pthread_cond_clockwait(&g_condition, &mutex, CLOCK_MONOTONIC, &kNever);
}
static int in_join(void) { return pthread_join(g_main, NULL); }
static int in_sigwait(void) {
  sigset_t set;
  int taken;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR2);
  return sigwait(&set, &taken);
}

static const struct blocking {
  const char* name;
  int (*call)(void);
  int is_interrupted;
} kBlocking[] = {
    {"read", in_read, 1},
    {"recv", in_recv, 1},
    {"poll", in_poll, 1},
    {"ppoll", in_ppoll, 1},
    {"select", in_select, 1},
    {"epoll_wait", in_epoll_wait, 1},
    {"epoll_pwait2", in_epoll_pwait2, 1},
    {"nanosleep", in_nanosleep, 1},
    {"clock_nanosleep", in_clock_nanosleep, 1},
    {"usleep", in_usleep, 1},
    {"pause", in_pause, 1},
    {"sigsuspend", in_sigsuspend, 1},
    {"sem_wait", in_sem_wait, 1},
    {"sem_timedwait", in_sem_timedwait, 1},
    {"sem_clockwait", in_sem_clockwait, 1},
    {"waitpid", in_waitpid, 1},
    {"getc", in_getc, 1},
    {"getline", in_getline, 1},
    {"pthread_cond_wait", in_cond_wait, 0},
    {"pthread_cond_clockwait", in_cond_clockwait, 0},
    {"pthread_join", in_join, 0},
    {"sigwait", in_sigwait, 0},
};
enum { kBlockingCalls = sizeof kBlocking / sizeof *kBlocking };

static void prepare(void) {
  g_main = pthread_self();
  if (pipe(g_pipe) != 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, g_socket) != 0) exit(2);
  g_epoll = epoll_create1(0);
  struct epoll_event event = {EPOLLIN, {0}};
  epoll_ctl(g_epoll, EPOLL_CTL_ADD, g_pipe[0], &event);
  g_stream = fdopen(dup(g_pipe[0]), "r");
  sem_init(&g_empty, 0, 0);
  g_child = fork();
  if (g_child == 0)
    for (;;) pause();
}

/* --- cancellation --------------------------------------------------------------------------- */

static void clean_up(void* cleaned) { *(int*)cleaned += 1; }

static int g_cleaned;
static void* call_and_be_cancelled(void* call) {
  pthread_cleanup_push(clean_up, &g_cleaned);
  ((const struct blocking*)call)->call();
  pthread_cleanup_pop(0);
  return NULL;
}

static void cancel_in(const struct blocking* call) {
  pthread_t thread;
  void* result;
  g_cleaned = 0;
  pthread_create(&thread, NULL, call_and_be_cancelled, (void*)call);
  usleep(5000);
  pthread_cancel(thread);
  pthread_join(thread, &result);
  printf("cancelled in %s: %s, cleaned up %d\n", call->name,
         result == PTHREAD_CANCELED ? "yes" : "no", g_cleaned);
}

static void* wait_with_a_cancellation_pending(void* semaphore) {
  pthread_cleanup_push(clean_up, &g_cleaned);
  pthread_cancel(pthread_self());
  sem_wait(semaphore);
  pthread_cleanup_pop(0);
  return NULL;
}

static int leave_by_pthread_exit(const char* path, const struct stat* s, int type, struct FTW* at) {
  (void)path, (void)s, (void)type, (void)at;
  pthread_exit(&g_cleaned);
}
static void* walk(void* unused) {
  pthread_cleanup_push(clean_up, &g_cleaned);
  nftw("/proc/self/task", leave_by_pthread_exit, 4, 0);
  pthread_cleanup_pop(0);
  return unused;
}

static void cancellation(void) {
  for (int i = 0; i < kBlockingCalls; ++i) cancel_in(&kBlocking[i]);
  pthread_t thread;
  void* result;
  sem_t free;
  sem_init(&free, 0, 1);
  g_cleaned = 0;
  pthread_create(&thread, NULL, wait_with_a_cancellation_pending, &free);
  pthread_join(thread, &result);
  printf("pending cancellation acts in a free sem_wait: %s, cleaned up %d\n",
         result == PTHREAD_CANCELED ? "yes" : "no", g_cleaned);
  g_cleaned = 0;
  pthread_create(&thread, NULL, walk, NULL);
  pthread_join(thread, &result);
  printf("pthread_exit in nftw's callback: %s, cleaned up %d\n",
         result == &g_cleaned ? "yes" : "no", g_cleaned);
}

/* --- interruption --------------------------------------------------------------------------- */

static void take(int signal) { (void)signal; }

static void interrupt_after(long us) {
  setitimer(ITIMER_REAL, &(struct itimerval){{0, 0}, {0, us}}, NULL);
}

static void* write_later(void* unused) {
  usleep(30000);
  if (write(g_pipe[1], "x", 1) != 1) exit(2);
  return unused;
}

static void interruption(void) {
  struct sigaction action = {.sa_handler = take};
  sigaction(SIGALRM, &action, NULL);
  for (int i = 0; i < kBlockingCalls; ++i) {
    if (!kBlocking[i].is_interrupted) continue;
    interrupt_after(5000);
    errno = 0;
    const int result = kBlocking[i].call();
    printf("interrupted %s: %d %s\n", kBlocking[i].name, result, name_of(errno));
  }
  struct timespec left = {0, 0};
  interrupt_after(5000);
  nanosleep(&(struct timespec){100, 0}, &left);
  printf("nanosleep says what is left: %s\n", left.tv_sec == 99 ? "yes" : "no");
  action.sa_flags = SA_RESTART;
  sigaction(SIGALRM, &action, NULL);
  pthread_t writer;
  sigset_t alarm;
  sigemptyset(&alarm);
  sigaddset(&alarm, SIGALRM);
  pthread_sigmask(SIG_BLOCK, &alarm, NULL); /* inherited */
  pthread_create(&writer, NULL, write_later, NULL);
  pthread_sigmask(SIG_UNBLOCK, &alarm, NULL);
  interrupt_after(5000);
  printf("restarted read: %d\n", in_read());
  pthread_join(writer, NULL);
}

/* --- errno ---------------------------------------------------------------------------------- */

static void print_error(const char* what, long result) {
  const int error = errno;
  printf("%s: %ld, errno %s\n", what, result, error == 77 ? "kept" : name_of(error));
  errno = 77;
}

static int print(const char* format, ...) {
  va_list list;
  va_start(list, format);
  const int printed = vprintf(format, list);
  va_end(list);
  return printed;
}

static void errors(void) {
  char byte;
  sem_t free;
  sem_init(&free, 0, 3);
  FILE* memory = fmemopen(NULL, 16, "w+");
  errno = 77;
  print_error("read", read(-1, &byte, 1));
  print_error("open", open("/nonexistent/prof", O_RDONLY));
  print_error("write", write(STDOUT_FILENO, "", 0));
  print_error("getpid by syscall", syscall(SYS_getpid) == getpid());
  print_error("no such system call", syscall(100000));
  print_error("sem_wait, free", sem_wait(&free));
  print_error("sem_timedwait, free", sem_timedwait(&free, &kPast));
  print_error("sem_timedwait, free, wrong time", sem_timedwait(&free, &kWrong));
  print_error("sem_timedwait, empty", sem_timedwait(&g_empty, &kPast));
  print_error("sem_timedwait, empty, wrong time", sem_timedwait(&g_empty, &kWrong));
  print_error("sem_clockwait, free, wrong clock", sem_clockwait(&free, 7, &kPast));
  print_error("sem_clockwait, free, wrong time", sem_clockwait(&free, CLOCK_REALTIME, &kWrong));
  print_error("sem_clockwait, empty", sem_clockwait(&g_empty, CLOCK_MONOTONIC, &kPast));
  print_error("putc", putc('x', memory));
  flockfile(memory);
  print_error("flockfile", 0);
  flockfile(memory);
  print_error("flockfile again, which nests", 0);
  funlockfile(memory);
  funlockfile(memory);
  print_error("printf", printf("%d %s %.2f %Lf\n", 1, "two", 3.0, 4.0L));
  print_error("vprintf", print("%s %g %d\n", "one", 2.5, 3));
  print_error("mmap", (long)mmap(NULL, 0, 0, 0, -1, 0));
  print_error("waitpid", waitpid(-2, NULL, 0));
  print_error("fork", waitpid(-1, NULL, WNOHANG));
}

int main(void) {
  setvbuf(stdout, NULL, _IOLBF, 0);
  prepare();
  errors();
  interruption();
  cancellation();
  kill(g_child, SIGKILL);
  return 0;
}
