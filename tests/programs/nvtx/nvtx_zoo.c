/* Makes every kind of NVTX v3 event from C. Prints the rows that must be in NVTX_EVENTS. */
#define _GNU_SOURCE
#include <nvtx3/nvToolsExt.h>
#include <pthread.h>
#include <string.h>
#include <wchar.h>

#include "expect.h"

static nvtxEventAttributes_t attributes(const char* text) {
  nvtxEventAttributes_t a;
  memset(&a, 0, sizeof a);
  a.version = NVTX_VERSION;
  a.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  if (text != NULL) {
    a.messageType = NVTX_MESSAGE_TYPE_ASCII;
    a.message.ascii = text;
  }
  return a;
}

static nvtxRangeId_t g_crossing;
static int g_helper;

static void* helper(void* unused) {
  (void)unused;
  g_helper = thread_id();
  nvtxNameOsThreadA((uint32_t)g_helper, "the-helper");
  nvtxRangePushA("in helper");
  nvtxRangePop();
  nvtxRangeEnd(g_crossing);
  return NULL;
}

int main(void) {
  int levels[6];

  /* default domain: nesting, a temporary buffer that is overwritten at once, wide text */
  levels[0] = nvtxRangePushA("outer");
  levels[1] = nvtxRangePushA("inner");
  levels[2] = nvtxRangePop();
  char buffer[32];
  for (int i = 0; i < 3; ++i) {
    snprintf(buffer, sizeof buffer, "iteration %d", i);
    nvtxRangePushA(buffer);
    memset(buffer, 'x', sizeof buffer - 1);
    nvtxRangePop();
  }
  nvtxRangePushW(L"wide \u00e9\u20ac\U0001F600");
  nvtxRangePop();
  levels[3] = nvtxRangePop();
  levels[4] = nvtxRangePop(); /* one too many */
  nvtxMarkA("plain mark");
  nvtxMarkW(L"wide mark");
  nvtxNameCategoryA(7, "io-category");

  /* a domain with registered strings, category, color and each payload */
  nvtxDomainHandle_t domain = nvtxDomainCreateA("zoo");
  nvtxDomainHandle_t wide = nvtxDomainCreateW(L"wide-domain");
  nvtxDomainNameCategoryA(domain, 3, "zoo-category");
  nvtxStringHandle_t name = nvtxDomainRegisterStringA(domain, "registered");
  nvtxEventAttributes_t a = attributes(NULL);
  a.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  a.message.registered = name;
  a.category = 3;
  a.colorType = NVTX_COLOR_ARGB;
  a.color = 0xFF00FF80u;
  for (int type = NVTX_PAYLOAD_TYPE_UNSIGNED_INT64; type <= NVTX_PAYLOAD_TYPE_FLOAT; ++type) {
    a.payloadType = type;
    a.payload.ullValue = 0;
    switch (type) {
      case NVTX_PAYLOAD_TYPE_UNSIGNED_INT64:
        a.payload.ullValue = 1ull << 40;
        break;
      case NVTX_PAYLOAD_TYPE_INT64:
        a.payload.llValue = -5;
        break;
      case NVTX_PAYLOAD_TYPE_DOUBLE:
        a.payload.dValue = 2.5;
        break;
      case NVTX_PAYLOAD_TYPE_UNSIGNED_INT32:
        a.payload.uiValue = 4000000000u;
        break;
      case NVTX_PAYLOAD_TYPE_INT32:
        a.payload.iValue = -7;
        break;
      case NVTX_PAYLOAD_TYPE_FLOAT:
        a.payload.fValue = 0.5f;
        break;
      default:
        break;
    }
    nvtxDomainRangePushEx(domain, &a);
    levels[5] = nvtxDomainRangePop(domain);
  }
  nvtxEventAttributes_t w = attributes("in wide domain");
  nvtxDomainRangePushEx(wide, &w);
  nvtxDomainRangePop(wide);
  nvtxEventAttributes_t mark = attributes("zoo mark");
  nvtxDomainMarkEx(domain, &mark);
  nvtxDomainDestroy(wide);

  /* start/end, also across threads, and one left open */
  nvtxRangeId_t here = nvtxRangeStartA("started here");
  g_crossing = nvtxRangeStartA("crossing");
  nvtxEventAttributes_t s = attributes("domain start");
  nvtxRangeId_t there = nvtxDomainRangeStartEx(domain, &s);
  nvtxDomainRangeEnd(domain, there);
  nvtxRangeEnd(here);
  pthread_t thread;
  pthread_create(&thread, NULL, helper, NULL);
  pthread_join(thread, NULL);
  nvtxRangeStartA("never ended");
  nvtxRangePushA("never popped");

  printf("{\"main\": %d, \"helper\": %d, \"levels\": [%d, %d, %d, %d, %d, %d]}\n", thread_id(),
         g_helper, levels[0], levels[1], levels[2], levels[3], levels[4], levels[5]);
  return 0;
}
