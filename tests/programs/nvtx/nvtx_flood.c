/* Pushes argv[1] ranges as fast as possible. All names are different. With a second argument it
 * waits for a line of standard input first. */
#include <nvtx3/nvToolsExt.h>
#include <stdio.h>
#include <stdlib.h>

int main(int count, char** words) {
  char name[64];
  const int ranges = count > 1 ? atoi(words[1]) : 100000;
  if (count > 2) fgets(name, sizeof name, stdin);
  for (int i = 0; i < ranges; ++i) {
    snprintf(name, sizeof name, "range number %d of a flood", i);
    nvtxRangePushA(name);
    nvtxRangePop();
  }
  puts("done");
  return 0;
}
