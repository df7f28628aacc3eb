/* Ranges and marks with NVTX payloads, mixed with ordinary ones: nested, in domains, across
   threads, and from libraries that are opened and closed at run time. Ends with a mark after each
   pop, so that a pop that closes the wrong range is seen. */
#include <dlfcn.h>
#include <nvtx3/nvToolsExtPayload.h>
#include <pthread.h>
#include <stdio.h>

static const int64_t value = 42;
static const nvtxPayloadData_t data[] = {{NVTX_PAYLOAD_ENTRY_TYPE_INT64, sizeof value, &value}};
static int levels[16];
static int level_count;

static void level(int result) { levels[level_count++] = result; }

static void default_domain(void) {
  level(nvtxRangePushA("outer"));
  level(nvtxRangePushPayload(NULL, data, 1));
  level(nvtxRangePushA("inner"));
  level(nvtxRangePopPayload(NULL, data, 1));
  nvtxMarkA("after inner");
  level(nvtxRangePop());
  nvtxMarkA("after payload");
  level(nvtxRangePopPayload(NULL, data, 1));
  nvtxMarkA("after outer");
  nvtxMarkPayload(NULL, data, 1);
}

/* As NCCL does it: the push has attributes and a payload, the pop a payload. */
static void own_domain(nvtxDomainHandle_t domain) {
  nvtxEventAttributes_t a = {0};
  a.version = NVTX_VERSION;
  a.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  a.messageType = NVTX_MESSAGE_TYPE_ASCII;
  a.message.ascii = "reduce";
  nvtxPayloadRangePush(domain, &a, NVTX_PAYLOAD_ENTRY_TYPE_INT64, &value, sizeof value);
  nvtxEventAttributes_t plain = a;
  plain.payloadType = NVTX_PAYLOAD_UNKNOWN;
  plain.message.ascii = "step";
  level(nvtxDomainRangePushEx(domain, &plain));
  level(nvtxRangePopPayload(domain, data, 1));
  nvtxMarkA("after step");
  level(nvtxRangePopPayload(domain, NULL, 0));
  nvtxMarkA("after reduce");
  level(nvtxRangePopPayload(domain, data, 1)); /* nothing to pop */
  nvtxMarkPayload(domain, data, 1);
}

static nvtxRangeId_t crossing;

static void* helper(void* domain) {
  nvtxRangeEndPayload(domain, crossing, data, 1);
  return NULL;
}

static void started_ranges(nvtxDomainHandle_t domain) {
  pthread_t thread;
  nvtxRangeId_t plain_end = nvtxRangeStartPayload(NULL, data, 1);
  nvtxRangeId_t payload_end = nvtxRangeStartA("started");
  crossing = nvtxRangeStartPayload(domain, data, 1);
  nvtxRangeEnd(plain_end);
  nvtxRangeEndPayload(NULL, payload_end, data, 1);
  pthread_create(&thread, NULL, helper, domain);
  pthread_join(thread, NULL);
  nvtxMarkA("after started");
}

static void libraries(const char* name) {
  void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  void (*work)(void) = library != NULL ? (void (*)(void))dlsym(library, "work") : NULL;
  if (work == NULL) return;
  nvtxRangePushPayload(NULL, data, 1);
  work();
  nvtxRangePop();
  dlclose(library);
}

int main(void) {
  nvtxDomainHandle_t domain = nvtxDomainCreateA("payloads");
  const nvtxPayloadSchemaEntry_t entries[] = {
      {0, NVTX_PAYLOAD_ENTRY_TYPE_INT64, "value", NULL, 0, 0, NULL, NULL}};
  nvtxPayloadSchemaAttr_t schema = {0};
  schema.fieldMask = NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_TYPE | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES |
                     NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES;
  schema.type = NVTX_PAYLOAD_SCHEMA_TYPE_STATIC;
  schema.entries = entries;
  schema.numEntries = 1;
  unsigned long long registered = nvtxPayloadSchemaRegister(domain, &schema);
  default_domain();
  own_domain(domain);
  started_ranges(domain);
  for (int i = 0; i < 2; ++i) {
    libraries("libnvtx_payload_one.so");
    libraries("libnvtx_payload_two.so");
  }
  printf("{\"levels\": [");
  for (int i = 0; i < level_count; ++i) printf("%s%d", i == 0 ? "" : ", ", levels[i]);
  printf("], \"schema\": %llu, \"enabled\": %d}\n", registered, nvtxDomainIsEnabled(domain));
  return 0;
}
