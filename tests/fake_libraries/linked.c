// A program that is linked to the libraries. Usage: linked [threads|fork|exec|emptyexec]: where it
// makes calls, besides the main thread. It prints the sum of all.
#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "work.h"

enum { kRounds = 3, kThreads = 4 };

static void* thread(void* rounds) { return (void*)(long)work(*(int*)rounds); }

static int in_threads(int rounds) {
  pthread_t threads[kThreads];
  long wrong = 0;
  for (int i = 0; i < kThreads; ++i) pthread_create(&threads[i], NULL, thread, &rounds);
  for (int i = 0; i < kThreads; ++i) {
    void* result;
    pthread_join(threads[i], &result);
    wrong += (long)result;
  }
  return (int)wrong;
}

// The child's exit status is its number of wrong answers.
static int in_child(void) {
  const pid_t child = fork();
  if (child == 0) _exit(work(kRounds));
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

// Executes this program again. The new image prints the sum for both.
static void exec_again(char* program, int empty) {
  char* arguments[] = {program, "execed", NULL};
  char* nothing[] = {NULL};
  if (empty)
    execve(program, arguments, nothing);
  else
    execv(program, arguments);
  _exit(99);
}

int main(int count, char** arguments) {
  const char* where = count > 1 ? arguments[1] : "";
  int rounds = kRounds;
  int wrong = work(kRounds);
  if (strcmp(where, "threads") == 0) {
    wrong += in_threads(50);
    rounds += 50 * kThreads;
  } else if (strcmp(where, "fork") == 0) {
    wrong += in_child();
    rounds += kRounds;
  } else if (strcmp(where, "exec") == 0 || strcmp(where, "emptyexec") == 0) {
    if (wrong == 0) exec_again(arguments[0], where[1] == 'm');
  } else if (strcmp(where, "execed") == 0) {
    rounds += kRounds;
  }
  print_answer(rounds, wrong);
  return wrong != 0;
}
