/* A server that makes a numbered request about every millisecond, each an NVTX range, and does what
   its input says: "slow", "wait", "stall", "names", "crash" or "end". It answers each command with
   a line when it is done: the number of the next request. "times" answers with a line
   "NUMBER BEGIN END" (CLOCK_REALTIME, ns) for each of the last requests, and an empty line. All
   that is named is named at the start, and a range is open from then on. */
#include <nvtx3/nvToolsExt.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>

#include "expect.h"

enum { kLast = 20000 };
static struct { int64_t begin, end; } g_times[kLast];
static nvtxDomainHandle_t g_domain;
static nvtxStringHandle_t g_registered;
static int64_t g_count;

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_REALTIME, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void request(unsigned microseconds) {
  nvtxEventAttributes_t attributes = {0};
  attributes.version = NVTX_VERSION;
  attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  attributes.category = 7;
  attributes.payloadType = NVTX_PAYLOAD_TYPE_INT64;
  attributes.payload.llValue = g_count;
  attributes.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  attributes.message.registered = g_registered;
  g_times[g_count % kLast].begin = now();
  nvtxDomainRangePushEx(g_domain, &attributes);
  usleep(microseconds);
  nvtxDomainRangePop(g_domain);
  g_times[g_count % kLast].end = now();
  ++g_count;
}

/* Names that are used once. */
static void make_names(void) {
  char name[64];
  for (int i = 0; i < 200000; ++i) {
    snprintf(name, sizeof name, "a name that is used once: %d", i);
    nvtxMarkA(name);
  }
}

static void tell_times(void) {
  for (int64_t i = g_count > kLast ? g_count - kLast : 0; i < g_count; ++i)
    printf("%lld %lld %lld\n", (long long)i, (long long)g_times[i % kLast].begin,
           (long long)g_times[i % kLast].end);
  puts("");
}

int main(void) {
  struct pollfd input = {.fd = 0, .events = POLLIN};
  char line[64];
  g_domain = nvtxDomainCreateA("server");
  g_registered = nvtxDomainRegisterStringA(g_domain, "request");
  nvtxDomainNameCategoryA(g_domain, 7, "numbered");
  nvtxNameOsThreadA((uint32_t)syscall(SYS_gettid), "the loop");
  nvtxRangePushA("the whole life");
  setvbuf(stdin, NULL, _IONBF, 0);
  for (;;) {
    request(800);
    if (poll(&input, 1, 0) != 1) continue;
    if (fgets(line, sizeof line, stdin) == NULL || strcmp(line, "end\n") == 0) break;
    if (strcmp(line, "slow\n") == 0) request(300000);
    if (strcmp(line, "wait\n") == 0) poll(NULL, 0, 300);
    if (strcmp(line, "stall\n") == 0) sleep(4);
    if (strcmp(line, "names\n") == 0) make_names();
    if (strcmp(line, "crash\n") == 0) raise(SIGSEGV);
    if (strcmp(line, "times\n") == 0)
      tell_times();
    else
      printf("%lld\n", (long long)g_count);
    fflush(stdout);
  }
  return 0;
}
