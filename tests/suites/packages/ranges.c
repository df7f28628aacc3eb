// Ten NVTX ranges "step", each with a sleep, and a thread. Linked for an old glibc, so it runs in
// every root.
#include <nvtx3/nvToolsExt.h>
#include <pthread.h>
#include <time.h>

static void* sleep_ten_times(void* name) {
  for (int i = 0; i < 10; ++i) {
    nvtxRangePushA(name);
    const struct timespec moment = {0, 100000};
    nanosleep(&moment, NULL);
    nvtxRangePop();
  }
  return NULL;
}

int main(void) {
  pthread_t thread;
  sleep_ten_times("step");
  return pthread_create(&thread, NULL, sleep_ten_times, "thread step") != 0 ||
         pthread_join(thread, NULL) != 0;
}
