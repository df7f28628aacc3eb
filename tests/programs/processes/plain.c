/* Reads ten times, also in a thread, and exits with 5; or execs the command that it is given. For
 * tests in which the environment of the program is the difficulty. */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void* body(void* unused) {
  (void)unused;
  const int zero = open("/dev/zero", O_RDONLY);
  char buffer[4];
  for (int i = 0; i < 10; ++i)
    if (read(zero, buffer, 4) != 4) _exit(3);
  return NULL;
}

int main(int count, char** arguments) {
  if (count > 2 && strcmp(arguments[1], "chroot") == 0) {
    if (chroot(arguments[2]) != 0 || chdir("/") != 0) return 4;
    if (count > 3) execv(arguments[3], arguments + 3);
  } else if (count > 1) {
    execv(arguments[1], arguments + 1);
    return 4;
  }
  pthread_t thread;
  if (pthread_create(&thread, NULL, body, NULL) != 0)
    body(NULL); /* no thread may be had */
  else
    pthread_join(thread, NULL);
  puts("{\"read\": 10}");
  return 5;
}
