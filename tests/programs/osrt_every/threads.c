/* Threads, and locks that another thread holds. */
#include "every.h"

#include <semaphore.h>
#include <threads.h>
#include <time.h>

extern __typeof__(flockfile) _IO_flockfile;

static struct timespec soon(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  time.tv_sec += 20;
  return time;
}

static void* nothing(void* argument) { return argument; }
static int nothing_c11(void* argument) { return argument == NULL; }

static void make_threads(void) {
  pthread_t thread;
  thrd_t c11;
  const struct timespec real = soon(CLOCK_REALTIME), monotonic = soon(CLOCK_MONOTONIC);
  CALL(pthread_create, &thread, NULL, nothing, NULL);
  CALL(pthread_timedjoin_np, thread, NULL, &real);
  CALL(pthread_create, &thread, NULL, nothing, NULL);
  CALL(pthread_clockjoin_np, thread, NULL, CLOCK_MONOTONIC, &monotonic);
  CALL(pthread_create, &thread, NULL, nothing, NULL);
  while (CALL(pthread_tryjoin_np, thread, NULL) == EBUSY) {
  }
  CALL(thrd_create, &c11, nothing_c11, NULL);
  CALL(thrd_join, c11, NULL);
}

/* Holds the lock until the main thread waits for it. */
#define HOLDER(name, type, lock, unlock)    \
  static void name(struct helper* helper) { \
    type* object = helper->object;          \
    lock(object);                           \
    helper->has_begun = 1;                  \
    while (!helper->is_wanted) {            \
    }                                       \
    give_time();                            \
    unlock(object);                         \
  }
HOLDER(hold_mutex, pthread_mutex_t, pthread_mutex_lock, pthread_mutex_unlock)
HOLDER(hold_rwlock, pthread_rwlock_t, pthread_rwlock_wrlock, pthread_rwlock_unlock)
HOLDER(hold_spin, pthread_spinlock_t, pthread_spin_lock, pthread_spin_unlock)
HOLDER(hold_mtx, mtx_t, mtx_lock, mtx_unlock)
HOLDER(hold_stream, FILE, flockfile, funlockfile)
static void do_nothing(sem_t* semaphore) { (void)semaphore; }
HOLDER(post, sem_t, do_nothing, sem_post)

#define CONTEND(holder, object, unlock, call) \
  do {                                        \
    struct helper helper;                     \
    start(&helper, holder, object);           \
    while (!helper.has_begun) {               \
    }                                         \
    helper.is_wanted = 1;                     \
    call;                                     \
    unlock(object);                           \
    finish(&helper);                          \
  } while (0)

static void contend_for_locks(void) {
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
  const struct timespec real = soon(CLOCK_REALTIME), monotonic = soon(CLOCK_MONOTONIC);
#define MUTEX(...) CONTEND(hold_mutex, &mutex, pthread_mutex_unlock, CALL(__VA_ARGS__))
  MUTEX(pthread_mutex_lock, &mutex);
  MUTEX(pthread_mutex_timedlock, &mutex, &real);
  MUTEX(pthread_mutex_clocklock, &mutex, CLOCK_MONOTONIC, &monotonic);
#define RWLOCK(...) CONTEND(hold_rwlock, &lock, pthread_rwlock_unlock, CALL(__VA_ARGS__))
  RWLOCK(pthread_rwlock_rdlock, &lock);
  RWLOCK(pthread_rwlock_wrlock, &lock);
  RWLOCK(pthread_rwlock_timedrdlock, &lock, &real);
  RWLOCK(pthread_rwlock_timedwrlock, &lock, &real);
  RWLOCK(pthread_rwlock_clockrdlock, &lock, CLOCK_MONOTONIC, &monotonic);
  RWLOCK(pthread_rwlock_clockwrlock, &lock, CLOCK_MONOTONIC, &monotonic);
  pthread_spinlock_t spin;
  pthread_spin_init(&spin, 0);
  CONTEND(hold_spin, (void*)&spin, pthread_spin_unlock, CALL(pthread_spin_lock, &spin));
  mtx_t mtx;
  mtx_init(&mtx, mtx_timed);
  CONTEND(hold_mtx, &mtx, mtx_unlock, CALL(mtx_lock, &mtx));
  CONTEND(hold_mtx, &mtx, mtx_unlock, CALL(mtx_timedlock, &mtx, &real));
  CONTEND(hold_stream, stderr, funlockfile, CALL(flockfile, stderr));
  CONTEND(hold_stream, stderr, funlockfile, ALIAS(_IO_flockfile, flockfile, stderr));
}

/* A lock that is free is not recorded. */
static void take_free_locks(void) {
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  for (int i = 0; i < 100; ++i) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
  }
}

static void wait_for_semaphores(void) {
  const struct timespec real = soon(CLOCK_REALTIME), monotonic = soon(CLOCK_MONOTONIC);
  sem_t semaphore;
  sem_init(&semaphore, 0, 0);
  CONTEND(post, &semaphore, do_nothing, CALL(sem_wait, &semaphore));
  CONTEND(post, &semaphore, do_nothing, CALL(sem_timedwait, &semaphore, &real));
  CONTEND(post, &semaphore, do_nothing,
          CALL(sem_clockwait, &semaphore, CLOCK_MONOTONIC, &monotonic));
  char name[64];
  sprintf(name, "/prof-every-%d", getpid());
  sem_t* named = CALL(sem_open, name, O_CREAT, 0600, 1);
  CALL(sem_unlink, name);
  if (named != SEM_FAILED) CALL(sem_close, named);
}

static pthread_mutex_t g_mutex = PTHREAD_MUTEX_INITIALIZER;
static void wake(struct helper* helper) {
  pthread_mutex_lock(&g_mutex); /* free as soon as the main thread waits */
  pthread_cond_signal(helper->object);
  pthread_mutex_unlock(&g_mutex);
}

static mtx_t g_mtx;
static void wake_c11(struct helper* helper) {
  mtx_lock(&g_mtx);
  cnd_signal(helper->object);
  mtx_unlock(&g_mtx);
}

static void wait_for_it(struct helper* helper) {
  pthread_mutex_lock(&g_mutex);
  helper->has_begun = 1;
  pthread_cond_wait(helper->object, &g_mutex);
  pthread_mutex_unlock(&g_mutex);
}

static void wait_for_it_c11(struct helper* helper) {
  mtx_lock(&g_mtx);
  helper->has_begun = 1;
  cnd_wait(helper->object, &g_mtx);
  mtx_unlock(&g_mtx);
}

/* A wake-up is recorded if a thread waits. A waiting thread has released the mutex. */
#define WAKE(waiter, condition, trylock, unlock, mutex, call) \
  do {                                                        \
    struct helper helper;                                     \
    start(&helper, waiter, condition);                        \
    while (!helper.has_begun || trylock(mutex) != 0) {        \
    }                                                         \
    unlock(mutex);                                            \
    call;                                                     \
    finish(&helper);                                          \
  } while (0)
#define WAKE_POSIX(call) \
  WAKE(wait_for_it, &condition, pthread_mutex_trylock, pthread_mutex_unlock, &g_mutex, call)
#define WAKE_C11(call) WAKE(wait_for_it_c11, &condition, mtx_trylock, mtx_unlock, &g_mtx, call)

static void meet(struct helper* helper) { pthread_barrier_wait(helper->object); }

static void wait_for_conditions(void) {
  const struct timespec past = {1, 0};
  struct helper helper;
  pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
  pthread_mutex_lock(&g_mutex);
  start(&helper, wake, &condition);
  CALL(pthread_cond_wait, &condition, &g_mutex);
  pthread_mutex_unlock(&g_mutex);
  finish(&helper);
  pthread_mutex_lock(&g_mutex);
  CALL(pthread_cond_timedwait, &condition, &g_mutex, &past);
  CALL(pthread_cond_clockwait, &condition, &g_mutex, CLOCK_MONOTONIC, &past);
  pthread_mutex_unlock(&g_mutex);
  WAKE_POSIX(CALL(pthread_cond_signal, &condition));
  WAKE_POSIX(CALL(pthread_cond_broadcast, &condition));
  for (int i = 0; i < 100; ++i) pthread_cond_signal(&condition);
  pthread_barrier_t barrier;
  pthread_barrier_init(&barrier, NULL, 2);
  start(&helper, meet, &barrier);
  CALL(pthread_barrier_wait, &barrier);
  finish(&helper);
}

static void wait_for_c11_conditions(void) {
  const struct timespec past = {1, 0};
  struct helper helper;
  cnd_t condition;
  cnd_init(&condition);
  mtx_init(&g_mtx, mtx_timed);
  mtx_lock(&g_mtx);
  start(&helper, wake_c11, &condition);
  CALL(cnd_wait, &condition, &g_mtx);
  mtx_unlock(&g_mtx);
  finish(&helper);
  mtx_lock(&g_mtx);
  CALL(cnd_timedwait, &condition, &g_mtx, &past);
  mtx_unlock(&g_mtx);
  WAKE_C11(CALL(cnd_signal, &condition));
  WAKE_C11(CALL(cnd_broadcast, &condition));
}

void call_threads(void) {
  make_threads();
  contend_for_locks();
  take_free_locks();
  wait_for_semaphores();
  wait_for_conditions();
  wait_for_c11_conditions();
}
