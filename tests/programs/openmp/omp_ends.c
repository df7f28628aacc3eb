// Ends in a region, in the way that its argument says, after a whole region and while the other
// threads of the region sleep: exit, _exit, exec, kill, fork, nested, two (runtimes' initial
// threads), test (locks).
#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void region(int threads) {
#pragma omp parallel num_threads(threads)
  usleep(1000);
}

static void* thread(void* arg) {
  region(2);
  return arg;
}

// The child of a process with OpenMP threads has none of them, and only calls what it may.
static void fork_in_region(void) {
#pragma omp parallel num_threads(2)
#pragma omp master
  {
    const pid_t child = fork();
    if (child == 0) _exit(3);
    int status = 0;
    waitpid(child, &status, 0);
    printf("child %d\n", WEXITSTATUS(status));
  }
}

static void nested(void) {
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
  region(2);
}

static void two_initial_threads(void) {
  pthread_t other;
  if (pthread_create(&other, NULL, thread, NULL) != 0) return;
  region(2);
  pthread_join(other, NULL);
}

static void test_locks(void) {
  omp_lock_t lock;
  omp_init_lock(&lock);
  const int first = omp_test_lock(&lock);
  const int second = omp_test_lock(&lock);
  omp_unset_lock(&lock);
  omp_destroy_lock(&lock);
  printf("tests %d %d\n", first, second);
}

static void end_in_region(const char* how) {
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() != 0) usleep(20000);
#pragma omp master
    {
      usleep(2000);
      if (strcmp(how, "exit") == 0) exit(4);
      if (strcmp(how, "_exit") == 0) _exit(4);
      if (strcmp(how, "kill") == 0) raise(SIGKILL);
      if (strcmp(how, "exec") == 0) execl("/bin/sh", "sh", "-c", "sleep 0.05; exit 4", (char*)NULL);
    }
  }
}

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "";
  region(2);
  if (strcmp(how, "fork") == 0)
    fork_in_region();
  else if (strcmp(how, "nested") == 0)
    nested();
  else if (strcmp(how, "two") == 0)
    two_initial_threads();
  else if (strcmp(how, "test") == 0)
    test_locks();
  else
    end_in_region(how);
  return 0;
}
