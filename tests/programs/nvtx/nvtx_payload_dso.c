/* A library that nvtx_payloads opens and closes, with its own copy of NVTX. DSO is its name. */
#include <nvtx3/nvToolsExtPayload.h>

#define TEXT2(x) #x
#define TEXT(x) TEXT2(x)

__attribute__((visibility("default"))) void work(void) {
  const int64_t value = 7;
  const nvtxPayloadData_t data = {NVTX_PAYLOAD_ENTRY_TYPE_INT64, sizeof value, &value};
  nvtxRangePushA("outer of " TEXT(DSO));
  nvtxRangePushPayload(NULL, &data, 1);
  nvtxRangePushA("inner of " TEXT(DSO));
  nvtxRangePopPayload(NULL, &data, 1);
  nvtxRangePop();
  nvtxRangePopPayload(NULL, &data, 1);
}
