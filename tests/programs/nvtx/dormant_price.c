/* Makes many short calls, then many NVTX ranges: for callgrind, which counts instructions. */
#include <nvtx3/nvToolsExt.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "expect.h"

int main(int argc, char** argv) {
  const long count = argc > 2 ? atol(argv[2]) : 0;
  const int ranges = argc > 1 && strcmp(argv[1], "ranges") == 0;
  nvtxMarkA("loads the tool");
  for (long i = 0; i < count; ++i) {
    if (ranges) {
      nvtxRangePushA("range");
      nvtxRangePop();
    } else {
      sched_yield();
    }
  }
  return 0;
}
