/* Makes 1,000 NVTX ranges and 1,000 calls, then ends in the way that argv[1] names. Nothing may be
 * dropped. Run with --osrt-threshold 0, so that each write is recorded. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <nvtx3/nvToolsExt.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int count, char** arguments) {
  const char* how = count > 1 ? arguments[1] : "return";
  const int fd = open("/dev/null", O_WRONLY);
  for (int i = 0; i < 1000; ++i) {
    nvtxRangePushA("one of a thousand");
    if (write(fd, "x", 1) != 1) return 3;
    nvtxRangePop();
  }
  if (strcmp(how, "kill") == 0) kill(getpid(), SIGKILL);
  if (strcmp(how, "_exit") == 0) _exit(7);
  if (strcmp(how, "quick_exit") == 0) quick_exit(8);
  if (strcmp(how, "abort") == 0) abort();
  if (strcmp(how, "segv") == 0) {
    *(volatile int*)16 = 1;
  }
  if (strcmp(how, "exec") == 0) execl("/bin/true", "true", (char*)NULL);
  if (strcmp(how, "stop") == 0) pause();
  return 0;
}
