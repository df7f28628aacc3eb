/* pthread_cancel unwinds through prof's wrapper of a blocking call. */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <unistd.h>

static int g_pipe[2];
static int g_cleaned;
static sem_t g_never;

static void clean(void* unused) {
  (void)unused;
  ++g_cleaned;
}

static void* reader(void* unused) {
  (void)unused;
  char byte;
  pthread_cleanup_push(clean, NULL);
  if (read(g_pipe[0], &byte, 1) != 1) return NULL;
  pthread_cleanup_pop(0);
  return NULL;
}

static void* waiter(void* unused) {
  (void)unused;
  pthread_cleanup_push(clean, NULL);
  sem_wait(&g_never);
  pthread_cleanup_pop(0);
  return NULL;
}

/* The semaphore is free, so sem_wait does not block. It must still be a cancellation point. */
static void* spinner(void* unused) {
  (void)unused;
  sem_t free_semaphore;
  sem_init(&free_semaphore, 0, 1);
  pthread_cleanup_push(clean, NULL);
  for (;;) {
    sem_wait(&free_semaphore);
    sem_post(&free_semaphore);
  }
  pthread_cleanup_pop(0);
  return NULL;
}

int main(void) {
  if (pipe(g_pipe) != 0) return 3;
  sem_init(&g_never, 0, 0);
  void* (*const bodies[])(void*) = {reader, waiter, spinner};
  for (int i = 0; i < 3; ++i) {
    pthread_t thread;
    void* result;
    pthread_create(&thread, NULL, bodies[i], NULL);
    usleep(20000);
    pthread_cancel(thread);
    pthread_join(thread, &result);
    if (result != PTHREAD_CANCELED) return 4;
  }
  printf("{\"cleaned\": %d}\n", g_cleaned);
  return g_cleaned == 3 ? 0 : 5;
}
