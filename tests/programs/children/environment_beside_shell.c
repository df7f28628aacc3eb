/* One thread waits in system() or popen(), as argv[1] says, while another changes the environment.
 * Nothing of it may be lost afterwards, or point to memory that is gone. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char** environ;

static const char* g_way;

/* The command lasts until the other thread closes its end of the pipe. */
static void* run_shell(void* unused) {
  (void)unused;
  const char* command = "read line; env | grep -c '^KEPT=yes$'";
  if (strcmp(g_way, "popen") == 0) {
    FILE* stream = popen("echo began; read line; env | grep -c '^KEPT=yes$'", "r");
    char line[16];
    while (fgets(line, sizeof line, stream) != NULL) fputs(line, stdout);
    printf("status %d\n", pclose(stream));
  } else {
    printf("status %d\n", system(command));
  }
  fflush(stdout);
  return NULL;
}

__attribute__((noinline)) static void* use_stack(void* unused) {
  volatile char big[60000];
  (void)unused;
  memset((char*)big, 'Z', sizeof big);
  return (void*)(long)big[5];
}

static int count_bad(void) {
  int bad = 0;
  for (char** each = environ; *each != NULL; ++each)
    if (strchr(*each, '=') == NULL || strchr(*each, 'Z') != NULL) ++bad;
  return bad;
}

int main(int count, char** words) {
  if (count < 2) return 2;
  g_way = words[1];
  clearenv();
  setenv("PATH", "/usr/bin:/bin", 1);
  setenv("KEPT", "yes", 1);
  setenv("CHANGED", "no", 1);
  setenv("GONE", "no", 1);
  int ends[2];
  if (pipe(ends) != 0 || dup2(ends[0], 0) != 0) return 3;
  close(ends[0]);
  char** before = environ;
  pthread_t thread;
  pthread_create(&thread, NULL, run_shell, NULL);
  usleep(50000);
  const int same = environ == before;
  setenv("CHANGED", "yes", 1);
  unsetenv("GONE");
  setenv("NEW", "value", 1);
  putenv("OTHER=value");
  if (write(ends[1], "\n", 1) != 1) return 4;
  pthread_join(thread, NULL);
  for (int i = 0; i < 8; ++i) {
    pthread_create(&thread, NULL, use_stack, NULL);
    pthread_join(thread, NULL);
  }
  printf("same %d bad %d", same, count_bad());
  for (char** each = environ; *each != NULL; ++each) printf(" %s", *each);
  printf("\n");
  fflush(stdout);
  close(ends[1]);
  return system("env | sort | grep -E '^(CHANGED|GONE|NEW|OTHER)='");
}
