// Waits for a child of vfork that sleeps, so nothing can stop the parent. Prints the child's id.
#define _GNU_SOURCE
#include <stdio.h>
#include <unistd.h>

__attribute__((noinline)) static void sleep_in_child(void) {
  printf("%d\n", getpid());
  fflush(stdout);
  while (1) usleep(1000000);
}

int main(void) {
  if (vfork() == 0) sleep_in_child();
  return 0;
}
