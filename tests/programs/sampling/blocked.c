// Five threads wait in different ways, at least 200 ms at a time: for a lock, a condition, a pipe,
// a child, and by sleeping. Prints the tid of each and what it waited for.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t condition_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int is_set;
static int channel[2];
static pid_t tids[5];

static void pause_for(long ms) {
  const struct timespec time = {ms / 1000, ms % 1000 * 1000000};
  nanosleep(&time, NULL);
}

__attribute__((noinline)) static void wait_for_lock(void) {
  pthread_mutex_lock(&lock);
  pthread_mutex_unlock(&lock);
}
__attribute__((noinline)) static void wait_for_condition(void) {
  pthread_mutex_lock(&condition_lock);
  while (!is_set) pthread_cond_wait(&condition, &condition_lock);
  pthread_mutex_unlock(&condition_lock);
}
__attribute__((noinline)) static void wait_for_pipe(void) {
  char byte;
  if (read(channel[0], &byte, 1) != 1) perror("read");
}
__attribute__((noinline)) static void wait_for_child(void) {
  const pid_t child = fork();
  if (child == 0) {
    pause_for(300);
    _exit(0);
  }
  waitpid(child, NULL, 0);
}
__attribute__((noinline)) static void wait_asleep(void) { pause_for(300); }

static void (*const ways[])(void) = {wait_for_lock, wait_for_condition, wait_for_pipe,
                                     wait_for_child, wait_asleep};
static const char* const names[] = {"pthread_mutex_lock", "pthread_cond_wait", "read", "waitpid",
                                    "nanosleep"};

static void* run(void* index) {
  const long i = (long)index;
  tids[i] = gettid();
  ways[i]();
  return NULL;
}

int main(void) {
  if (pipe(channel) != 0) return 1;
  pthread_mutex_lock(&lock);
  pthread_t threads[5];
  for (long i = 0; i < 5; ++i) pthread_create(&threads[i], NULL, run, (void*)i);
  pause_for(300);
  pthread_mutex_unlock(&lock);
  pthread_mutex_lock(&condition_lock);
  is_set = 1;
  pthread_cond_signal(&condition);
  pthread_mutex_unlock(&condition_lock);
  if (write(channel[1], "x", 1) != 1) return 1;
  for (int i = 0; i < 5; ++i) pthread_join(threads[i], NULL);
  printf("{");
  for (int i = 0; i < 5; ++i) printf("%s\"%s\": %d", i > 0 ? ", " : "", names[i], tids[i]);
  printf("}\n");
  return 0;
}
