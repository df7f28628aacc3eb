/* What functions of locks return, which wrappers must not change. Prints one line for each fact.
 * The output is the same with and without prof. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

static const char* name_of(int error) { return error == 0 ? "0" : strerrorname_np(error); }

static struct timespec from_now(clockid_t clock, long ms) {
  struct timespec time;
  clock_gettime(clock, &time);
  time.tv_sec += ms / 1000;
  time.tv_nsec += ms % 1000 * 1000000;
  if (time.tv_nsec >= 1000000000) time.tv_sec++, time.tv_nsec -= 1000000000;
  return time;
}
static const struct timespec kPast = {1, 0}, kWrong = {1, 1000000000};

static void fact(const char* what, int error) { printf("%s: %s\n", what, name_of(error)); }

static void init_mutex(pthread_mutex_t* mutex, int type, int protocol, int robust) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, type);
  pthread_mutexattr_setprotocol(&attributes, protocol);
  pthread_mutexattr_setrobust(&attributes, robust);
  pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  fact("init", pthread_mutex_init(mutex, &attributes));
}

static void deadlocks(int protocol) {
  pthread_mutex_t mutex;
  init_mutex(&mutex, PTHREAD_MUTEX_ERRORCHECK, protocol, PTHREAD_MUTEX_STALLED);
  const struct timespec real = from_now(CLOCK_REALTIME, 1000);
  const struct timespec monotonic = from_now(CLOCK_MONOTONIC, 1000);
  fact("error-checking, free", pthread_mutex_lock(&mutex));
  fact("error-checking, again", pthread_mutex_lock(&mutex));
  fact("error-checking, again, timed", pthread_mutex_timedlock(&mutex, &real));
  fact("error-checking, again, clock",
       pthread_mutex_clocklock(&mutex,
                               protocol == PTHREAD_PRIO_INHERIT ? CLOCK_REALTIME : CLOCK_MONOTONIC,
                               protocol == PTHREAD_PRIO_INHERIT ? &real : &monotonic));
  fact("error-checking, trylock", pthread_mutex_trylock(&mutex));
  fact("error-checking, unlock", pthread_mutex_unlock(&mutex));
  fact("error-checking, unlock again", pthread_mutex_unlock(&mutex));
}

static void* timed_out(void* mutex) {
  const struct timespec soon = from_now(CLOCK_REALTIME, 5);
  fact("of another thread, timed", pthread_mutex_timedlock(mutex, &soon));
  fact("of another thread, in the past", pthread_mutex_timedlock(mutex, &kPast));
  fact("of another thread, wrong time", pthread_mutex_timedlock(mutex, &kWrong));
  return NULL;
}
static void in_another_thread(void* (*act)(void*), void* object) {
  pthread_t thread;
  pthread_create(&thread, NULL, act, object);
  pthread_join(thread, NULL);
}

static void recursion(int protocol) {
  pthread_mutex_t mutex;
  init_mutex(&mutex, PTHREAD_MUTEX_RECURSIVE, protocol, PTHREAD_MUTEX_STALLED);
  for (int i = 0; i < 3; ++i) fact("recursive", pthread_mutex_lock(&mutex));
  fact("recursive, timed", pthread_mutex_timedlock(&mutex, &kPast));
  for (int i = 0; i < 3; ++i) pthread_mutex_unlock(&mutex);
  in_another_thread(timed_out, &mutex);
  fact("recursive, last unlock", pthread_mutex_unlock(&mutex));
  fact("recursive, one too many", pthread_mutex_unlock(&mutex));
}

static void* lock_and_die(void* mutex) {
  pthread_mutex_lock(mutex);
  return NULL;
}

static void robustness(int protocol) {
  const struct timespec real = from_now(CLOCK_REALTIME, 1000);
  pthread_mutex_t mutex;
  init_mutex(&mutex, PTHREAD_MUTEX_NORMAL, protocol, PTHREAD_MUTEX_ROBUST);
  in_another_thread(lock_and_die, &mutex);
  fact("robust, owner died", pthread_mutex_lock(&mutex));
  fact("robust, consistent", pthread_mutex_consistent(&mutex));
  fact("robust, unlock", pthread_mutex_unlock(&mutex));
  in_another_thread(lock_and_die, &mutex);
  fact("robust, owner died, timed", pthread_mutex_timedlock(&mutex, &real));
  fact("robust, consistent", pthread_mutex_consistent(&mutex));
  fact("robust, unlock", pthread_mutex_unlock(&mutex));
  in_another_thread(lock_and_die, &mutex);
  fact("robust, owner died, clock", pthread_mutex_clocklock(&mutex, CLOCK_REALTIME, &real));
  fact("robust, unlock inconsistent", pthread_mutex_unlock(&mutex));
  fact("robust, not recoverable", pthread_mutex_lock(&mutex));
}

static void owner_in_another_process(void) {
  pthread_mutex_t* mutex =
      mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  init_mutex(mutex, PTHREAD_MUTEX_NORMAL, PTHREAD_PRIO_NONE, PTHREAD_MUTEX_ROBUST);
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    pthread_mutex_lock(mutex);
    _exit(0);
  }
  waitpid(child, NULL, 0);
  fact("robust, owning process died", pthread_mutex_lock(mutex));
}

static void times_and_clocks(void) {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  fact("mutex free, wrong time", pthread_mutex_timedlock(&mutex, &kWrong));
  pthread_mutex_unlock(&mutex);
  fact("mutex free, wrong clock", pthread_mutex_clocklock(&mutex, 7, &kPast));
  fact("mutex free, past", pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &kPast));
  fact("mutex held, past", pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &kPast));
  pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
  fact("rwlock free, wrong time", pthread_rwlock_timedrdlock(&lock, &kWrong));
  fact("rwlock free, wrong time, write", pthread_rwlock_timedwrlock(&lock, &kWrong));
  fact("rwlock free, wrong clock", pthread_rwlock_clockrdlock(&lock, 7, &kPast));
  fact("rwlock free, wrong clock, write", pthread_rwlock_clockwrlock(&lock, 7, &kPast));
  fact("rwlock free", pthread_rwlock_clockrdlock(&lock, CLOCK_MONOTONIC, &kPast));
  fact("rwlock shared", pthread_rwlock_timedrdlock(&lock, &kPast));
  fact("rwlock shared, write", pthread_rwlock_timedwrlock(&lock, &kPast));
  pthread_rwlock_unlock(&lock);
  pthread_rwlock_unlock(&lock);
  fact("rwlock free, write", pthread_rwlock_clockwrlock(&lock, CLOCK_MONOTONIC, &kPast));
  fact("rwlock own, read", pthread_rwlock_rdlock(&lock));
  fact("rwlock own, write", pthread_rwlock_wrlock(&lock));
  fact("rwlock own, timed read", pthread_rwlock_timedrdlock(&lock, &kPast));
}

static void* spin_for_it(void* lock) {
  fact("spin, busy", pthread_spin_trylock(lock));
  fact("spin, waited", pthread_spin_lock(lock));
  return NULL;
}

static void other_locks(void) {
  pthread_spinlock_t spin;
  pthread_t thread;
  pthread_spin_init(&spin, 0);
  fact("spin, free", pthread_spin_lock(&spin));
  pthread_create(&thread, NULL, spin_for_it, (void*)&spin);
  usleep(20000);
  pthread_spin_unlock(&spin);
  pthread_join(thread, NULL);
  mtx_t mtx;
  mtx_init(&mtx, mtx_timed | mtx_recursive);
  for (int i = 0; i < 3; ++i) printf("mtx, recursive: %d\n", mtx_lock(&mtx));
  mtx_init(&mtx, mtx_timed);
  for (int i = 0; i < 2; ++i) printf("mtx, timed: %d\n", mtx_timedlock(&mtx, &kPast));
}

static void condition_variables(void) {
  pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
  pthread_mutex_t mutex;
  init_mutex(&mutex, PTHREAD_MUTEX_ERRORCHECK, PTHREAD_PRIO_NONE, PTHREAD_MUTEX_STALLED);
  fact("condition, mutex not held", pthread_cond_timedwait(&condition, &mutex, &kPast));
  pthread_mutex_lock(&mutex);
  fact("condition, timed", pthread_cond_timedwait(&condition, &mutex, &kPast));
  fact("condition, wrong time", pthread_cond_timedwait(&condition, &mutex, &kWrong));
  fact("condition, wrong clock", pthread_cond_clockwait(&condition, &mutex, 7, &kPast));
  fact("condition, mutex held again", pthread_mutex_unlock(&mutex));
}

static void locks(void) {
  deadlocks(PTHREAD_PRIO_NONE);
  deadlocks(PTHREAD_PRIO_INHERIT);
  times_and_clocks();
  condition_variables();
  recursion(PTHREAD_PRIO_NONE);
  recursion(PTHREAD_PRIO_INHERIT);
  robustness(PTHREAD_PRIO_NONE);
  robustness(PTHREAD_PRIO_INHERIT);
  owner_in_another_process();
  other_locks();
}

static void* end_at_once(void* unused) { return unused; }

int main(void) {
  setvbuf(stdout, NULL, _IOLBF, 0);
  /* Runs once with a single thread, for which glibc uses other code paths, and once after there
   * were two. */
  locks();
  pthread_t thread;
  pthread_create(&thread, NULL, end_at_once, NULL);
  pthread_join(thread, NULL);
  locks();
  return 0;
}
