/* Trying a lock first must not change its behaviour: error checking, recursion, robustness, time-
 * outs. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <time.h>

static void* lock_and_die(void* mutex) {
  pthread_mutex_lock(mutex);
  return NULL;
}

static sem_t g_held, g_timed_out;

static void* hold_for_a_while(void* mutex) {
  pthread_mutex_lock(mutex);
  sem_post(&g_held);
  sem_wait(&g_timed_out);
  const struct timespec time = {0, 30000000};
  nanosleep(&time, NULL);
  pthread_mutex_unlock(mutex);
  return NULL;
}

static struct timespec soon(long ns) {
  struct timespec time;
  clock_gettime(CLOCK_REALTIME, &time);
  time.tv_nsec += ns;
  if (time.tv_nsec >= 1000000000) time.tv_sec++, time.tv_nsec -= 1000000000;
  return time;
}

int main(void) {
  pthread_mutexattr_t attributes;
  pthread_t thread;
  pthread_mutexattr_init(&attributes);

  pthread_mutex_t checking;
  pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
  pthread_mutex_init(&checking, &attributes);
  if (pthread_mutex_lock(&checking) != 0) return 10;
  if (pthread_mutex_lock(&checking) != EDEADLK) return 11;

  pthread_mutex_t recursive;
  pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&recursive, &attributes);
  for (int i = 0; i < 3; ++i)
    if (pthread_mutex_lock(&recursive) != 0) return 12;
  for (int i = 0; i < 3; ++i)
    if (pthread_mutex_unlock(&recursive) != 0) return 13;
  if (pthread_mutex_unlock(&recursive) != EPERM) return 14;

  pthread_mutex_t robust;
  pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_NORMAL);
  pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&robust, &attributes);
  pthread_create(&thread, NULL, lock_and_die, &robust);
  pthread_join(thread, NULL);
  if (pthread_mutex_lock(&robust) != EOWNERDEAD) return 15;
  if (pthread_mutex_unlock(&robust) != 0) return 16; /* never made consistent */
  if (pthread_mutex_lock(&robust) != ENOTRECOVERABLE) return 17;

  pthread_mutex_t plain = PTHREAD_MUTEX_INITIALIZER;
  sem_init(&g_held, 0, 0);
  sem_init(&g_timed_out, 0, 0);
  pthread_create(&thread, NULL, hold_for_a_while, &plain);
  while (sem_wait(&g_held) != 0) {
  }
  struct timespec until = soon(5000000);
  if (pthread_mutex_timedlock(&plain, &until) != ETIMEDOUT) return 18;
  sem_post(&g_timed_out);
  if (pthread_mutex_lock(&plain) != 0) return 19;
  pthread_join(thread, NULL);

  sem_t semaphore;
  sem_init(&semaphore, 0, 0);
  until = soon(5000000);
  errno = 0;
  if (sem_timedwait(&semaphore, &until) != -1 || errno != ETIMEDOUT) return 20;
  sem_post(&semaphore);
  errno = 77;
  if (sem_wait(&semaphore) != 0 || errno != 77) return 21;

  pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
  if (pthread_rwlock_wrlock(&rwlock) != 0) return 22;
  if (pthread_rwlock_rdlock(&rwlock) != EDEADLK) return 23;
  puts("{\"ok\": true}");
  return 0;
}
