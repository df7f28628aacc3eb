/* Statically linked: LD_PRELOAD has no effect (pitfall 4.24). */
#include <stdio.h>
int main(void) {
  puts("still runs");
  return 6;
}
