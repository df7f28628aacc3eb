/* Two threads use a condition variable. The wrong symbol version would corrupt it. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static pthread_mutex_t g_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t g_condition = PTHREAD_COND_INITIALIZER;
static int g_turn;

static void* player(void* me) {
  for (int i = 0; i < 5000; ++i) {
    pthread_mutex_lock(&g_mutex);
    while (g_turn != (int)(long)me) pthread_cond_wait(&g_condition, &g_mutex);
    g_turn = 1 - g_turn;
    pthread_cond_broadcast(&g_condition);
    pthread_mutex_unlock(&g_mutex);
  }
  return NULL;
}

int main(void) {
  pthread_t other;
  pthread_create(&other, NULL, player, (void*)1);
  player((void*)0);
  pthread_join(other, NULL);
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_nsec += 1000000;
  if (until.tv_nsec >= 1000000000) until.tv_sec++, until.tv_nsec -= 1000000000;
  pthread_mutex_lock(&g_mutex);
  const int timed = pthread_cond_timedwait(&g_condition, &g_mutex, &until);
  pthread_mutex_unlock(&g_mutex);
  if (timed != ETIMEDOUT) return 3;
  puts("{\"rounds\": 5000}");
  return 0;
}
