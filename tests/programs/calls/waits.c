// Waits in one way, or does the same work without that wait. For `prof analyze`.
//   waits lock|locks|held|flush|flush_few|flush_once|writes|buffered|stats|sleep|poll|pool|compute
//   [FOLDER]
// lock:      threads compute while they hold one lock; locks: each has another lock
// held:      threads sleep while they hold one lock
// flush:     one fsync for each line; prints the time that this took, in seconds
// flush_few: the same with 20 lines; flush_once: with one line
// writes:    one write for each byte; buffered: the same bytes in a few writes
// stats:     asks for a file's state again and again
// sleep:     looks every 2 ms whether a flag is set; poll: looks for input every 2 ms
// pool:      threads of a pool wait for work that never comes, while the main thread computes
// compute:   only computes
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { kThreads = 6 };

static pthread_mutex_t g_locks[kThreads];  // zero is PTHREAD_MUTEX_INITIALIZER
static pthread_cond_t g_work = PTHREAD_COND_INITIALIZER;
static volatile double g_sink;

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

__attribute__((noinline)) static void compute(long rounds) {
  double value = 1;
  for (long i = 0; i < rounds; ++i) value = value * 1.0000001 + 1e-9;
  g_sink = value;
}

__attribute__((noinline)) static void update_under_lock(void) { compute(2000000); }
__attribute__((noinline)) static void sleep_under_lock(void) { usleep(5000); }

static const char* g_mode;

static void* worker(void* argument) {
  const long number = (long)argument;
  pthread_mutex_t* lock = &g_locks[strcmp(g_mode, "locks") == 0 ? number : 0];
  for (int i = 0; i < 20; ++i) {
    pthread_mutex_lock(lock);
    if (strcmp(g_mode, "held") == 0)
      sleep_under_lock();
    else
      update_under_lock();
    pthread_mutex_unlock(lock);
  }
  return NULL;
}

static void* idle_worker(void* argument) {
  pthread_mutex_lock(&g_locks[0]);
  for (;;) pthread_cond_wait(&g_work, &g_locks[0]);
  return argument;
}

static void run_threads(void* (*function)(void*), int joined) {
  pthread_t threads[kThreads];
  for (long i = 0; i < kThreads; ++i) pthread_create(&threads[i], NULL, function, (void*)i);
  for (int i = 0; joined && i < kThreads; ++i) pthread_join(threads[i], NULL);
}

static int open_file(const char* folder) {
  char path[4096];
  snprintf(path, sizeof path, "%s/waits.data", folder);
  const int file = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0600);
  if (file < 0) exit(2);
  return file;
}

__attribute__((noinline)) static void save_line(int file) {
  static const char line[100];
  if (write(file, line, sizeof line) != sizeof line || fsync(file) != 0) exit(2);
}

static void flush(const char* folder, int lines) {
  const int file = open_file(folder);
  const double start = now();
  for (int i = 0; i < lines; ++i) save_line(file);
  printf("{\"flushing\": %.3f}\n", now() - start);
  compute(20000000);
}

__attribute__((noinline)) static void save_byte(int file, const char* data, size_t size) {
  if (write(file, data, size) != (ssize_t)size) exit(2);
}

static void write_bytes(const char* folder, size_t size) {
  enum { kAll = 400000 };
  static char data[kAll];
  const int file = open_file(folder);
  for (size_t i = 0; i < kAll; i += size) save_byte(file, data + i, size);
  if (size > 1) compute(50000000);
}

__attribute__((noinline)) static void ask_for_state(void) {
  struct stat state;
  if (stat("/", &state) != 0) exit(2);
}

__attribute__((noinline)) static void wait_for_flag(void) { usleep(2000); }

__attribute__((noinline)) static void look_for_input(int descriptor) {
  struct pollfd entry = {descriptor, POLLIN, 0};
  if (poll(&entry, 1, 2) != 0) exit(2);
}

int main(int count, char** arguments) {
  if (count < 2) return 2;
  g_mode = arguments[1];
  const char* folder = count > 2 ? arguments[2] : ".";
  if (strcmp(g_mode, "lock") == 0 || strcmp(g_mode, "locks") == 0 || strcmp(g_mode, "held") == 0) {
    run_threads(worker, 1);
  } else if (strcmp(g_mode, "flush") == 0) {
    flush(folder, 200);
  } else if (strcmp(g_mode, "flush_few") == 0) {
    flush(folder, 20);
  } else if (strcmp(g_mode, "flush_once") == 0) {
    flush(folder, 1);
  } else if (strcmp(g_mode, "writes") == 0 || strcmp(g_mode, "buffered") == 0) {
    write_bytes(folder, g_mode[0] == 'w' ? 1 : 100000);
  } else if (strcmp(g_mode, "stats") == 0) {
    for (int i = 0; i < 300000; ++i) ask_for_state();
  } else if (strcmp(g_mode, "sleep") == 0) {
    for (int i = 0; i < 200; ++i) wait_for_flag();
  } else if (strcmp(g_mode, "poll") == 0) {
    int ends[2];
    if (pipe(ends) != 0) return 2;
    for (int i = 0; i < 200; ++i) look_for_input(ends[0]);
  } else if (strcmp(g_mode, "pool") == 0) {
    run_threads(idle_worker, 0);
    compute(200000000);
  } else if (strcmp(g_mode, "compute") == 0) {
    compute(200000000);
  } else {
    return 2;
  }
  return 0;
}
