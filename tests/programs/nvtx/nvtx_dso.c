/* One of two libraries, each with its own copy of NVTX. DSO is its name. */
#include <nvtx3/nvToolsExt.h>

#define TEXT2(x) #x
#define TEXT(x) TEXT2(x)
#define PASTE2(a, b) a##b
#define PASTE(a, b) PASTE2(a, b)

__attribute__((visibility("default"))) void PASTE(work_in_, DSO)(int count) {
  nvtxDomainHandle_t shared = nvtxDomainCreateA("shared-domain");
  nvtxDomainHandle_t own = nvtxDomainCreateA("domain-of-" TEXT(DSO));
  nvtxEventAttributes_t a = {0};
  a.version = NVTX_VERSION;
  a.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  a.messageType = NVTX_MESSAGE_TYPE_ASCII;
  a.message.ascii = "work in " TEXT(DSO);
  for (int i = 0; i < count; ++i) {
    nvtxDomainRangePushEx(shared, &a);
    nvtxDomainRangePop(shared);
    nvtxDomainRangePushEx(own, &a);
    nvtxDomainRangePop(own);
  }
}
