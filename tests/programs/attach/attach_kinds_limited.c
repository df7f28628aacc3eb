// Waits with a limit of time. Each must end by its limit, and not before.
#define _GNU_SOURCE
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ipc.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "attach_kinds.h"

static const struct timespec kLimit = {0, kLimitMs * 1000000L};
static int g_fd, g_sockets[2];

// As the kernel rounds some limits.
enum { kRounding = 2 };

static void repeat(const char* what, long (*wait)(void), long result, int error) {
  say_ready();
  do {
    const double begin = now_ms();
    errno = 0;
    const long got = wait();
    const double waited = now_ms() - begin;
    if (got != result || (result < 0 && errno != error)) complain(what, got);
    if (waited < kLimitMs - kRounding) complain("ended early, ms", (long)waited);
  } while (!has_ended());
}

static struct timespec after_limit(clockid_t clock) {
  struct timespec end;
  clock_gettime(clock, &end);
  end.tv_nsec += kLimit.tv_nsec;
  end.tv_sec += end.tv_nsec / 1000000000;
  end.tv_nsec %= 1000000000;
  return end;
}

static long wait_epoll(void) {
  struct epoll_event event;
  return epoll_wait(g_fd, &event, 1, kLimitMs);
}
static void run_epoll(void) {
  g_fd = epoll_create1(0);
  repeat("epoll_wait", wait_epoll, 0, 0);
}
static long wait_epoll_masked(void) {
  struct epoll_event event;
  sigset_t mask;
  sigfillset(&mask);
  return epoll_pwait(g_fd, &event, 1, kLimitMs, &mask);
}
static void run_epoll_masked(void) {
  g_fd = epoll_create1(0);
  repeat("epoll_pwait", wait_epoll_masked, 0, 0);
}
static long wait_epoll2(void) {
  struct epoll_event event;
  const long got = epoll_pwait2(g_fd, &event, 1, &kLimit, NULL);
  if (kLimit.tv_nsec != kLimitMs * 1000000L) complain("the limit of epoll_pwait2", kLimit.tv_nsec);
  return got;
}
static void run_epoll2(void) {
  g_fd = epoll_create1(0);
  repeat("epoll_pwait2", wait_epoll2, 0, 0);
}
static long wait_semaphore_set(void) {
  struct sembuf take = {0, -1, 0};
  struct timespec limit = kLimit;
  const long got = semtimedop(g_fd, &take, 1, &limit);
  if (limit.tv_nsec != kLimit.tv_nsec) complain("the limit of semtimedop", limit.tv_nsec);
  return got;
}
static void run_semaphore_set(void) {
  g_fd = semget(IPC_PRIVATE, 1, 0600);
  repeat("semtimedop", wait_semaphore_set, -1, EAGAIN);
  semctl(g_fd, 0, IPC_RMID);
}
static long wait_signal(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  return sigtimedwait(&set, NULL, &kLimit);
}
static void run_signal(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  sigprocmask(SIG_BLOCK, &set, NULL);
  repeat("sigtimedwait", wait_signal, -1, EAGAIN);
}

static void limit_sockets(int option) {
  const struct timeval limit = {0, kLimitMs * 1000};
  socketpair(AF_UNIX, SOCK_STREAM, 0, g_sockets);
  setsockopt(g_sockets[0], SOL_SOCKET, option, &limit, sizeof limit);
}
static void check_socket(int option) {
  struct timeval limit = {0, 0};
  socklen_t bytes = sizeof limit;
  getsockopt(g_sockets[0], SOL_SOCKET, option, &limit, &bytes);
  if (limit.tv_sec != 0 || limit.tv_usec / 1000 / 10 != kLimitMs / 10)
    complain("the limit of the socket, us", limit.tv_usec);
}
static long wait_receive(void) {
  char byte;
  return recv(g_sockets[0], &byte, 1, 0);
}
static long wait_receive_message(void) {
  char byte;
  struct iovec piece = {&byte, 1};
  struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1};
  return recvmsg(g_sockets[0], &message, 0);
}
static long wait_read(void) {
  char byte;
  return read(g_sockets[0], &byte, 1);
}
static long wait_accept(void) { return accept(g_sockets[0], NULL, NULL); }
static void run_receive(void) {
  limit_sockets(SO_RCVTIMEO);
  repeat("recv", wait_receive, -1, EAGAIN);
  check_socket(SO_RCVTIMEO);
}
static void run_receive_message(void) {
  limit_sockets(SO_RCVTIMEO);
  repeat("recvmsg", wait_receive_message, -1, EAGAIN);
  check_socket(SO_RCVTIMEO);
}
static void run_read(void) {
  limit_sockets(SO_RCVTIMEO);
  repeat("read", wait_read, -1, EAGAIN);
  check_socket(SO_RCVTIMEO);
}
static void listen_to(int backlog, struct sockaddr_un* address) {
  *address = (struct sockaddr_un){.sun_family = AF_UNIX};
  socklen_t bytes = sizeof *address;
  bind(g_sockets[0], (struct sockaddr*)address, sizeof(sa_family_t));  // a name that is free
  getsockname(g_sockets[0], (struct sockaddr*)address, &bytes);
  listen(g_sockets[0], backlog);
}
static void run_accept(void) {
  const struct timeval limit = {0, kLimitMs * 1000};
  struct sockaddr_un address;
  g_sockets[0] = socket(AF_UNIX, SOCK_STREAM, 0);
  listen_to(1, &address);
  setsockopt(g_sockets[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  repeat("accept", wait_accept, -1, EAGAIN);
  check_socket(SO_RCVTIMEO);
}
static long wait_datagram(void) {
  char byte;
  return recvfrom(g_sockets[0], &byte, 1, 0, NULL, NULL);
}
static void run_datagram(void) {
  const struct timeval limit = {0, kLimitMs * 1000};
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
  g_sockets[0] = socket(AF_INET, SOCK_DGRAM, 0);
  bind(g_sockets[0], (struct sockaddr*)&address, sizeof address);
  setsockopt(g_sockets[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  repeat("recvfrom", wait_datagram, -1, EAGAIN);
  check_socket(SO_RCVTIMEO);
}

static long wait_poll(void) { return poll(NULL, 0, kLimitMs); }
static void run_poll(void) { repeat("poll", wait_poll, 0, 0); }
static long wait_ppoll(void) { return ppoll(NULL, 0, &kLimit, NULL); }
static void run_ppoll(void) { repeat("ppoll", wait_ppoll, 0, 0); }
static long wait_select(void) {
  struct timeval limit = {0, kLimitMs * 1000};
  return select(0, NULL, NULL, NULL, &limit);
}
static void run_select(void) { repeat("select", wait_select, 0, 0); }
static long wait_pselect(void) { return pselect(0, NULL, NULL, NULL, &kLimit, NULL); }
static void run_pselect(void) { repeat("pselect", wait_pselect, 0, 0); }
static long wait_sleep(void) { return nanosleep(&kLimit, NULL); }
static void run_sleep(void) { repeat("nanosleep", wait_sleep, 0, 0); }
static long wait_sleep_until(void) {
  const struct timespec end = after_limit(CLOCK_MONOTONIC);
  return clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, NULL);
}
static void run_sleep_until(void) { repeat("clock_nanosleep", wait_sleep_until, 0, 0); }
static sem_t g_semaphore;
static long wait_semaphore(void) {
  const struct timespec end = after_limit(CLOCK_REALTIME);
  return sem_timedwait(&g_semaphore, &end);
}
static void run_semaphore(void) {
  sem_init(&g_semaphore, 0, 0);
  repeat("sem_timedwait", wait_semaphore, -1, ETIMEDOUT);
}
static long wait_condition(void) {
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
  const struct timespec end = after_limit(CLOCK_REALTIME);
  pthread_mutex_lock(&mutex);
  const long got = pthread_cond_timedwait(&condition, &mutex, &end);
  pthread_mutex_unlock(&mutex);
  return got;
}
static void run_condition(void) { repeat("pthread_cond_timedwait", wait_condition, ETIMEDOUT, 0); }
static long wait_timer(void) {
  const struct itimerspec once = {{0, 0}, kLimit};
  uint64_t expired = 0;
  timerfd_settime(g_fd, 0, &once, NULL);
  return read(g_fd, &expired, sizeof expired);
}
static void run_timer(void) {
  g_fd = timerfd_create(CLOCK_MONOTONIC, 0);
  repeat("read of a timer", wait_timer, 8, 0);
}

const struct kind kLimitedWaits[] = {{"epoll_wait", run_epoll},
                                     {"epoll_pwait", run_epoll_masked},
                                     {"epoll_pwait2", run_epoll2},
                                     {"semtimedop", run_semaphore_set},
                                     {"sigtimedwait", run_signal},
                                     {"recv_limited", run_receive},
                                     {"recvmsg_limited", run_receive_message},
                                     {"read_limited", run_read},
                                     {"accept_limited", run_accept},
                                     {"recvfrom_limited", run_datagram},
                                     {"poll", run_poll},
                                     {"ppoll", run_ppoll},
                                     {"select", run_select},
                                     {"pselect", run_pselect},
                                     {"nanosleep", run_sleep},
                                     {"clock_nanosleep", run_sleep_until},
                                     {"sem_timedwait", run_semaphore},
                                     {"cond_timedwait", run_condition},
                                     {"timerfd", run_timer},
                                     {NULL, NULL}};
