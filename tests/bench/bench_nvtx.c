/* Nanoseconds for nvtxRangePush + nvtxRangePop, the best of several runs. */
#include <nvtx3/nvToolsExt.h>

#include "measure.h"

static void registered(long pairs) {
  nvtxDomainHandle_t domain = nvtxDomainCreateA("bench");
  nvtxEventAttributes_t a = {0};
  a.version = NVTX_VERSION;
  a.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  a.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  a.message.registered = nvtxDomainRegisterStringA(domain, "forward pass");
  for (long i = 0; i < pairs; ++i) {
    nvtxDomainRangePushEx(domain, &a);
    nvtxDomainRangePop(domain);
  }
}

static void ascii(long pairs) {
  for (long i = 0; i < pairs; ++i) {
    nvtxRangePushA("forward pass");
    nvtxRangePop();
  }
}

int main(void) {
  report("nvtx_push_pop", measure(ascii, 100000));
  report("nvtx_push_pop_registered", measure(registered, 100000));
  return 0;
}
