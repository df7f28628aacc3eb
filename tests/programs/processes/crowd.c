/* Usage: crowd PROCESSES THREADS WRITES. Starts that many child processes with that many threads
 * each, all at once. Each thread writes and then waits, without polling, until all are there. */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static int g_null;
static int g_writes;
static int g_arrivals[2];
static int g_gate[2]; /* its end is the sign to leave */

static void* body(void* unused) {
  char byte;
  for (int i = 0; i < g_writes; ++i)
    if (write(g_null, "x", 1) != 1) _exit(3);
  if (write(g_arrivals[1], "x", 1) != 1) _exit(4);
  if (read(g_gate[0], &byte, 1) != 0) _exit(5);
  return unused;
}

static int crowd(int threads) {
  pthread_t* ids = malloc((size_t)threads * sizeof *ids);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 64 * 1024);
  close(g_gate[1]);
  for (int i = 0; i < threads; ++i)
    if (pthread_create(&ids[i], &attributes, body, NULL) != 0) return 6;
  for (int i = 0; i < threads; ++i) pthread_join(ids[i], NULL);
  return 0;
}

int main(int count, char** words) {
  if (count != 4) return 2;
  const int processes = atoi(words[1]), threads = atoi(words[2]);
  g_writes = atoi(words[3]);
  g_null = open("/dev/null", O_WRONLY);
  if (pipe(g_arrivals) != 0 || pipe(g_gate) != 0) return 7;
  for (int i = 0; i < processes; ++i) {
    const pid_t child = fork();
    if (child < 0) return 8;
    if (child == 0) _exit(crowd(threads));
  }
  close(g_arrivals[1]); /* so that reading ends should a child fail */
  char bytes[4096];
  int arrived = 0;
  ssize_t got;
  while (arrived < processes * threads && (got = read(g_arrivals[0], bytes, sizeof bytes)) > 0)
    arrived += (int)got;
  close(g_gate[1]);
  int failed = 0, status;
  while (wait(&status) > 0) failed += status != 0;
  printf("{\"processes\": %d, \"threads\": %d, \"write\": %d, \"read_by_children\": %d}\n",
         processes + 1, processes * (threads + 1) + 1, processes * threads * (g_writes + 1),
         processes * threads);
  return failed != 0 ? 9 : arrived == processes * threads ? 0 : 10;
}
