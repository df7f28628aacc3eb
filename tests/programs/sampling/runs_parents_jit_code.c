/* Compiles a loop like a JIT compiler and lists it in /tmp/perf-PID.map. Its child or grandchild
 * (argument: how many forks) compiles another one in the same mapping, lists it in a file of its
 * own, and runs both. Prints the pids. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* push rbp; mov rbp, rsp; mov ecx, edi; 1: dec ecx; jnz 1b; pop rbp; ret */
static const unsigned char kLoop[] = {0x55, 0x48, 0x89, 0xe5, 0x89, 0xf9,
                                      0xff, 0xc9, 0x75, 0xfc, 0x5d, 0xc3};
typedef void (*Loop)(int);

static Loop compile(char* place, const char* name) {
  char path[64];
  memcpy(place, kLoop, sizeof kLoop);
  snprintf(path, sizeof path, "/tmp/perf-%d.map", getpid());
  FILE* list = fopen(path, "a");
  if (list == NULL) abort();
  fprintf(list, "%lx %zx %s\n", (unsigned long)place, sizeof kLoop, name);
  fclose(list);
  return (Loop)(void*)place;
}

int main(int argc, char** argv) {
  const int forks = argc > 1 ? atoi(argv[1]) : 1;
  char* code =
      mmap(NULL, 8192, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (code == MAP_FAILED) abort();
  Loop of_parent = compile(code, "jit_of_parent");
  printf("%d\n", getpid());
  fflush(stdout);
  for (int i = 0; i < forks; ++i) {
    const pid_t child = fork();
    if (child != 0) return waitpid(child, NULL, 0) == child ? 0 : 1;
  }
  printf("%d\n", getpid());
  fflush(stdout);
  Loop of_child = compile(code + 4096, "jit_of_child");
  while (clock() < CLOCKS_PER_SEC * 4 / 10) {
    of_parent(300000);
    of_child(300000);
  }
  return 0;
}
