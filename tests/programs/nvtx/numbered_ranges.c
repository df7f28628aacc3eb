/* Numbers its NVTX ranges by payloads: 0, 1, 2, ... from start to end, for some seconds. Each has a
   usleep inside, of 10 ms with "slow". With "forks", a child is born every 20 ms and makes another
   range. Prints how many there were. All that is named is named at the start. */
#include <nvtx3/nvToolsExt.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#include "expect.h"

static nvtxDomainHandle_t g_domain;
static nvtxStringHandle_t g_registered;

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void push(int64_t number) {
  nvtxEventAttributes_t attributes = {0};
  attributes.version = NVTX_VERSION;
  attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  attributes.category = 7;
  attributes.payloadType = NVTX_PAYLOAD_TYPE_INT64;
  attributes.payload.llValue = number;
  attributes.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  attributes.message.registered = g_registered;
  nvtxDomainRangePushEx(g_domain, &attributes);
}

static void make_child(void) {
  if (fork() == 0) {
    nvtxRangePushA("in a child");
    usleep(2000);
    nvtxRangePop();
    exit(0);
  }
  waitpid(-1, NULL, 0);
}

int main(int argc, char** argv) {
  const double end = now() + (argc > 1 ? atof(argv[1]) : 1);
  const useconds_t pause = argc > 2 && strcmp(argv[2], "slow") == 0 ? 10000 : 200;
  const int forks = argc > 2 && strcmp(argv[2], "forks") == 0;
  double next_child = 0;
  g_domain = nvtxDomainCreateA("server");
  g_registered = nvtxDomainRegisterStringA(g_domain, "request");
  nvtxDomainNameCategoryA(g_domain, 7, "numbered");
  nvtxNameOsThreadA((uint32_t)syscall(SYS_gettid), "the loop");
  int64_t count = 0;
  while (now() < end) {
    push(count++);
    usleep(pause);
    nvtxDomainRangePop(g_domain);
    if (forks && now() >= next_child) {
      make_child();
      next_child = now() + 0.02;
    }
  }
  printf("%lld\n", (long long)count);
  return 0;
}
