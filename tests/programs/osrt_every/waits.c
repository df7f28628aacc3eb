/* Waiting for descriptors, for time and for signals. */
#include "every.h"

#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/fanotify.h>
#include <sys/inotify.h>
#include <sys/select.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <threads.h>
#include <time.h>

extern __typeof__(poll) __poll;
extern __typeof__(select) __select;
extern __typeof__(nanosleep) __nanosleep;
extern __typeof__(sched_yield) __sched_yield;
extern __typeof__(sigsuspend) __sigsuspend;
int __poll_chk(struct pollfd*, nfds_t, int, size_t);
int __ppoll_chk(struct pollfd*, nfds_t, const struct timespec*, const sigset_t*, size_t);
int old_pthread_yield(void);
#if defined(__x86_64__)
__asm__(".symver old_pthread_yield, pthread_yield@GLIBC_2.2.5");
#else
__asm__(".symver old_pthread_yield, pthread_yield@GLIBC_2.17");
#endif

static void wait_for_descriptors(void) {
  struct pollfd fd = {STDOUT_FILENO, 0, 0};
  const struct timespec now = {0, 0};
  CALL(poll, &fd, 1, 0);
  ALIAS(__poll, poll, &fd, 1, 0);
  ALIAS(__poll_chk, poll, &fd, 1, 0, sizeof fd);
  CALL(ppoll, &fd, 1, &now, NULL);
  ALIAS(__ppoll_chk, ppoll, &fd, 1, &now, NULL, sizeof fd);
  CALL(select, 0, NULL, NULL, NULL, &(struct timeval){0, 0});
  ALIAS(__select, select, 0, NULL, NULL, NULL, &(struct timeval){0, 0});
  CALL(pselect, 0, NULL, NULL, NULL, &now, NULL);
  struct epoll_event event = {EPOLLIN, {0}};
  CALL(close, CALL(epoll_create, 1));
  const int epoll = CALL(epoll_create1, 0);
  const int counter = CALL(eventfd, 0, 0);
  CALL(epoll_ctl, epoll, EPOLL_CTL_ADD, counter, &event);
  CALL(epoll_wait, epoll, &event, 1, 0);
  CALL(epoll_pwait, epoll, &event, 1, 0, NULL);
  CALL(epoll_pwait2, epoll, &event, 1, &now, NULL);
  eventfd_t value;
  CALL(eventfd_write, counter, 1);
  CALL(eventfd_read, counter, &value);
  CALL(close, counter);
  CALL(close, epoll);
}

static void make_descriptors(void) {
  sigset_t none;
  sigemptyset(&none);
  const int timer = CALL(timerfd_create, CLOCK_MONOTONIC, 0);
  CALL(timerfd_settime, timer, 0, &(struct itimerspec){{0, 0}, {0, 1}}, NULL);
  CALL(close, timer);
  CALL(close, CALL(signalfd, -1, &none, 0));
  CALL(close, CALL(inotify_init));
  const int watch = CALL(inotify_init1, 0);
  CALL(inotify_rm_watch, watch, CALL(inotify_add_watch, watch, ".", IN_CREATE));
  CALL(close, watch);
  const int notify = CALL(fanotify_init, 0, O_RDONLY);
  CALL(fanotify_mark, notify, FAN_MARK_REMOVE, FAN_OPEN, AT_FDCWD, "/nonexistent/prof");
  CALL(close, notify);
}

static void sleep_a_little(void) {
  const struct timespec time = {0, 1000};
  CALL(sleep, 0);
  CALL(usleep, 1);
  CALL(nanosleep, &time, NULL);
  ALIAS(__nanosleep, nanosleep, &time, NULL);
  CALL(clock_nanosleep, CLOCK_MONOTONIC, 0, &time, NULL);
  CALL(thrd_sleep, &time, NULL);
  CALL(sched_yield);
  ALIAS(__sched_yield, sched_yield);
  CALL(thrd_yield);
  count("pthread_yield", "pthread_yield");
  old_pthread_yield();
}

static volatile int g_taken;
static void take(int signal) { (void)signal, g_taken = 1; }

static void wait_for_signals(void) {
  sigset_t blocked, none;
  int taken;
  siginfo_t info;
  sigemptyset(&none);
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGUSR1);
  signal(SIGUSR1, take);
  signal(SIGALRM, take);
  sigprocmask(SIG_BLOCK, &blocked, NULL);
  CALL(pthread_kill, pthread_self(), SIGUSR1);
  CALL(sigsuspend, &none);
  CALL(kill, getpid(), SIGUSR1);
  ALIAS(__sigsuspend, sigsuspend, &none);
  CALL(tgkill, getpid(), gettid(), SIGUSR1);
  CALL(sigwait, &blocked, &taken);
  CALL(sigqueue, getpid(), SIGUSR1, (union sigval){1});
  CALL(sigwaitinfo, &blocked, &info);
  CALL(pthread_sigqueue, pthread_self(), SIGUSR1, (union sigval){1});
  CALL(sigtimedwait, &blocked, &info, NULL);
  CALL(killpg, getpgrp(), 0);
  sigprocmask(SIG_UNBLOCK, &blocked, NULL);
  setitimer(ITIMER_REAL, &(struct itimerval){{0, 0}, {0, 20000}}, NULL);
  CALL(pause);
}

void call_waits(void) {
  wait_for_descriptors();
  make_descriptors();
  sleep_a_little();
  wait_for_signals();
}
