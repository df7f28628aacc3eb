/* Three NVTX ranges with 100, 200 and 300 short calls, and many calls outside of them. */
#include <fcntl.h>
#include <nvtx3/nvToolsExt.h>

#include "expect.h"

static int g_null;

static void writes(int count) {
  for (int i = 0; i < count; ++i)
    if (write(g_null, "x", 1) != 1) _exit(3);
}

int main(void) {
  g_null = open("/dev/null", O_WRONLY);
  writes(1000);
  for (int i = 1; i <= 3; ++i) {
    nvtxRangePushA("part");
    writes(100 * i);
    nvtxRangePop();
    writes(1000);
  }
  return 0;
}
