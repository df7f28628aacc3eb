/* Calls of known number in threads that end, in fork children, and in processes that are killed or
 * exec. With the argument "signals" a signal handler makes calls in between. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "expect.h"

#define THREADS 3

struct answer {
  int tid, reads, writes;
};

static int g_zero, g_null, g_answers;
static struct answer* g_answer;
static volatile sig_atomic_t g_handled;

static void reads(int count) {
  char byte;
  for (int i = 0; i < count; ++i)
    if (read(g_zero, &byte, 1) != 1) _exit(3);
}

static void writes(int count) {
  for (int i = 0; i < count; ++i)
    if (write(g_null, "x", 1) != 1) _exit(3);
}

/* Makes the calls alternately, and notes them for this thread. */
static void calls(int read_count, int write_count) {
  const struct answer answer = {thread_id(), read_count, write_count};
  g_answer[__atomic_fetch_add(&g_answers, 1, __ATOMIC_RELAXED)] = answer;
  for (int i = 0; i < read_count || i < write_count; ++i) {
    reads(i < read_count);
    writes(i < write_count);
  }
}

static void* work(void* number) {
  calls(1000 * (int)(long)number, 700);
  return NULL;
}

static void on_alarm(int signal) {
  (void)signal;
  writes(1);
  ++g_handled;
}

static void with_signals(void) {
  const struct itimerval often = {{0, 300}, {0, 300}}, never = {{0, 0}, {0, 0}};
  signal(SIGALRM, on_alarm);
  setitimer(ITIMER_REAL, &often, NULL);
  while (g_handled < 50) reads(1), ++g_answer[0].reads;
  setitimer(ITIMER_REAL, &never, NULL);
  g_answer[0].writes += g_handled;
}

static void child(int read_count, int write_count, const char* end) {
  const int number = g_answers++; /* in the parent, whose memory the child does not share */
  const pid_t pid = fork();
  if (pid == 0) {
    g_answers = number;
    calls(read_count, write_count);
    if (strcmp(end, "kill") == 0) kill(getpid(), SIGKILL);
    if (strcmp(end, "exec") == 0) execl("/bin/true", "true", (char*)NULL);
    if (strcmp(end, "sleep") == 0) usleep(20000);
    _exit(0);
  }
  waitpid(pid, NULL, 0);
}

int main(int argc, char** argv) {
  g_answer = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  g_zero = open("/dev/zero", O_RDONLY);
  g_null = open("/dev/null", O_WRONLY);
  calls(300, 20000);
  if (argc > 1 && strcmp(argv[1], "signals") == 0) with_signals();
  pthread_t threads[THREADS];
  for (long i = 0; i < THREADS; ++i) pthread_create(&threads[i], NULL, work, (void*)(i + 1));
  for (int i = 0; i < THREADS; ++i) pthread_join(threads[i], NULL);
  child(500, 40, "exit");
  child(10, 7, "sleep");
  child(600, 80, "kill");
  child(70, 900, "exec");
  printf("{\"calls\": [");
  for (int i = 0; i < g_answers; ++i)
    printf("%s[%d, %d, %d]", i == 0 ? "" : ", ", g_answer[i].tid, g_answer[i].reads,
           g_answer[i].writes);
  puts("]}");
  return 0;
}
