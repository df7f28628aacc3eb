// Many processes of many threads at once:
//   crowd PROCESSES THREADS
// forks the processes, which start their threads; all live until the last one has started, then each
// thread writes three times. Prints what a profiler must find.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { kWrites = 3, kStackBytes = 64 << 10 };

static pthread_barrier_t *all_started;
static int null_file;

static void *thread(void *unused) {
  pthread_barrier_wait(all_started);
  for (int i = 0; i < kWrites; ++i)
    if (write(null_file, "x", 1) != 1) abort();
  return unused;
}

static void fail(const char *what) {
  fprintf(stderr, "crowd: %s: %s\n", what, strerror(errno));
  exit(2);
}

static void start_threads(int count) {
  pthread_t *threads = calloc((size_t)count, sizeof *threads);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kStackBytes);
  for (int i = 0; i < count; ++i)
    if ((errno = pthread_create(&threads[i], &attributes, thread, NULL)) != 0) fail("pthread_create");
  for (int i = 0; i < count; ++i) pthread_join(threads[i], NULL);
  free(threads);
}

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  const int processes = atoi(argv[1]);
  const int threads = atoi(argv[2]);
  all_started = mmap(NULL, sizeof *all_started, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  pthread_barrierattr_t shared;
  pthread_barrierattr_init(&shared);
  pthread_barrierattr_setpshared(&shared, PTHREAD_PROCESS_SHARED);
  pthread_barrier_init(all_started, &shared, (unsigned)(processes * threads));
  null_file = open("/dev/null", O_WRONLY | O_CLOEXEC);
  for (int i = 0; i < processes; ++i) {
    const pid_t child = fork();
    if (child < 0) fail("fork");
    if (child == 0) {
      start_threads(threads);
      exit(0);
    }
  }
  int status = 0;
  int ended = 0;
  while (wait(&status) > 0)
    if (status == 0) ++ended;
  printf("{\"processes\": %d, \"threads\": %d, \"writes\": %d}\n", ended, ended * threads,
         ended * threads * kWrites);
  return ended == processes ? 0 : 1;
}
