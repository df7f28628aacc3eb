/* ns per intercepted call. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

#include "measure.h"

static int g_zero;
static sem_t g_semaphore;
static pthread_mutex_t g_mutex = PTHREAD_MUTEX_INITIALIZER;

static void reads(long count) {
  char buffer[16];
  for (long i = 0; i < count; ++i)
    if (read(g_zero, buffer, sizeof buffer) != sizeof buffer) _exit(3);
}

static void lock_pairs(long count) {
  for (long i = 0; i < count; ++i) {
    pthread_mutex_lock(&g_mutex);
    pthread_mutex_unlock(&g_mutex);
  }
}

static void semaphore_pairs(long count) {
  for (long i = 0; i < count; ++i) {
    sem_wait(&g_semaphore);
    sem_post(&g_semaphore);
  }
}

static void* idle(void* unused) {
  pause();
  return unused;
}

int main(void) {
  g_zero = open("/dev/zero", O_RDONLY);
  sem_init(&g_semaphore, 0, 1);
  report("read16", measure(reads, 50000));
  report("mutex_pair", measure(lock_pairs, 500000));
  report("semaphore_pair", measure(semaphore_pairs, 200000));
  pthread_t thread; /* from here on glibc's locks use atomic instructions */
  pthread_create(&thread, NULL, idle, NULL);
  report("mutex_pair_threaded", measure(lock_pairs, 500000));
  return 0;
}
