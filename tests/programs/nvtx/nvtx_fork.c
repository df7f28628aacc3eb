/* An NVTX client that forks: the child uses the domain, category and strings of its parent. */
#include <nvtx3/nvToolsExt.h>
#include <string.h>
#include <sys/wait.h>

#include "expect.h"

static nvtxDomainHandle_t g_domain;
static nvtxStringHandle_t g_name;

static void work(int count) {
  nvtxEventAttributes_t a;
  memset(&a, 0, sizeof a);
  a.version = NVTX_VERSION;
  a.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  a.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  a.message.registered = g_name;
  a.category = 5;
  for (int i = 0; i < count; ++i) {
    nvtxDomainRangePushEx(g_domain, &a);
    nvtxDomainRangePop(g_domain);
  }
}

int main(void) {
  g_domain = nvtxDomainCreateA("forked-domain");
  g_name = nvtxDomainRegisterStringA(g_domain, "forked-name");
  nvtxDomainNameCategoryA(g_domain, 5, "forked-category");
  work(3);
  nvtxRangePushA("around fork");
  const pid_t child = fork();
  if (child == 0) {
    work(7);
    _exit(0);
  }
  waitpid(child, NULL, 0);
  nvtxRangePop();
  printf("{\"parent\": %d, \"child\": %d}\n", (int)getpid(), (int)child);
  return 0;
}
