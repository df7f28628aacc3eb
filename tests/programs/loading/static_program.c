/* Statically linked, so LD_PRELOAD has no effect. */
#include <stdio.h>
int main(void) {
  puts("still runs");
  return 6;
}
