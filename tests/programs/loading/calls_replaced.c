/* Calls functions of libc that a library replaces. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <syslog.h>
#include <unistd.h>

extern char** environ;

static int g_sum;

int main(void) {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
  char* words[] = {"false", NULL};
  g_sum += printf("%d\n", 1);
  g_sum += fprintf(stdout, "%d\n", 1);
  g_sum += dprintf(1, "%d\n", 1);
  g_sum += execv("/bin/false", words);
  g_sum += execvp("false", words);
  g_sum += execl("/bin/false", "false", (char*)NULL);
  g_sum += execlp("false", "false", (char*)NULL);
  g_sum += execle("/bin/false", "false", (char*)NULL, environ);
  g_sum += execve("/bin/false", words, environ);
  g_sum += pthread_mutex_lock(&mutex);
  g_sum += pthread_rwlock_rdlock(&lock);
  g_sum += listen(0, 1);
  g_sum += system("false");
  syslog(LOG_INFO, "%d words", 1);
  fflush(stdout);
  return g_sum == 13 * 77 ? 0 : 1;
}
