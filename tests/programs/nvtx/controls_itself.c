/* Makes 30 numbered NVTX ranges and has prof record those from 10 to 19, if it can. Prints what
   prof_control.h returned. */
#include <nvtx3/nvToolsExt.h>
#include <stdio.h>
#include <string.h>

#include "collector/session/control/prof_control.h"

static void make_range(int number) {
  nvtxEventAttributes_t attributes;
  memset(&attributes, 0, sizeof attributes);
  attributes.version = NVTX_VERSION;
  attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  attributes.payloadType = NVTX_PAYLOAD_TYPE_INT64;
  attributes.payload.llValue = number;
  nvtxRangePushEx(&attributes);
  nvtxRangePop();
}

int main(void) {
  int started = 0, marked = 0, stopped = 0, i;
  for (i = 0; i < 30; ++i) {
    if (i == 10) started = prof_control_start();
    if (i == 15) marked = prof_control_mark("in the middle\nof it");
    if (i == 20) stopped = prof_control_stop();
    make_range(i);
  }
  printf("%d %d %d %d,", started, marked, prof_control_mark("after it"), stopped);
  printf(" refused %d\n", prof_control_stop());
  return 0;
}
