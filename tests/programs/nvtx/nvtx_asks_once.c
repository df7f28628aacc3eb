/* A client of NVTX that asks once and keeps the answers: whether a domain is enabled, function
   pointers (as bindings of other languages do), ids of a schema (NCCL) and of a counter. It obeys
   the commands of nvtx_phases.py on its standard input, without children, and answers each with
   "done": "use" asks and makes the events of phase 0, "phase" those of the next one. At the end it
   prints {"C": {"pid": pid, "counts": [{name: count} for each phase]}}. */
#include <nvtx3/nvToolsExtCounters.h>
#include <nvtx3/nvToolsExtPayload.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { kPhases = 10 };

static struct {
  nvtxDomainHandle_t domain;
  int is_enabled;
  int (*push)(const char*);
  int (*pop)(void);
  uint64_t schema, counter;
} g_known;

static void ask(void) {
  g_known.domain = nvtxDomainCreateA("asked");
  g_known.is_enabled = nvtxDomainIsEnabled(g_known.domain);
  g_known.push = NVTX_VERSIONED_IDENTIFIER(nvtxGlobals).nvtxRangePushA_impl_fnptr;
  g_known.pop = NVTX_VERSIONED_IDENTIFIER(nvtxGlobals).nvtxRangePop_impl_fnptr;

  const nvtxPayloadSchemaEntry_t entry = {
      0, NVTX_PAYLOAD_ENTRY_TYPE_INT64, "value", NULL, 0, 0, NULL, NULL};
  nvtxPayloadSchemaAttr_t schema = {0};
  schema.fieldMask = NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_TYPE | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES |
                     NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES |
                     NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_STATIC_SIZE;
  schema.type = NVTX_PAYLOAD_SCHEMA_TYPE_STATIC;
  schema.entries = &entry;
  schema.numEntries = 1;
  schema.payloadStaticSize = sizeof(int64_t);
  g_known.schema = nvtxPayloadSchemaRegister(g_known.domain, &schema);

  nvtxCounterAttr_t counter = {0};
  counter.structSize = sizeof counter;
  counter.schemaId = NVTX_PAYLOAD_ENTRY_TYPE_INT64;
  counter.name = "level";
  counter.scopeId = NVTX_SCOPE_CURRENT_VM;
  g_known.counter = nvtxCounterRegister(g_known.domain, &counter);
}

static void make_plain(const char* name) {
  nvtxRangePushA(name);
  nvtxRangePop();
}

static void make_copied(const char* name) {
  if (g_known.push == NULL || g_known.pop == NULL) return;
  g_known.push(name);
  g_known.pop();
}

static void push_in_domain(const char* name, const nvtxPayloadData_t* payload) {
  nvtxEventAttributes_t attributes = {0};
  attributes.version = NVTX_VERSION;
  attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
  attributes.message.ascii = name;
  if (payload != NULL) {
    attributes.payloadType = NVTX_PAYLOAD_TYPE_EXT;
    attributes.reserved0 = 1;
    attributes.payload.ullValue = (uint64_t)(uintptr_t)payload;
  }
  nvtxDomainRangePushEx(g_known.domain, &attributes);
  nvtxDomainRangePop(g_known.domain);
}

static void make_enabled(const char* name) {
  if (g_known.is_enabled) push_in_domain(name, NULL);
}

static void make_payload(const char* name) {
  const int64_t value = 7;
  const nvtxPayloadData_t payload = {g_known.schema, sizeof value, &value};
  if (g_known.schema != 0) push_in_domain(name, &payload);
}

static void make_started(const char* name) { nvtxRangeEnd(nvtxRangeStartA(name)); }

static void make_marked(const char* name) { nvtxMarkA(name); }

static const struct {
  const char* name;
  void (*make)(const char*);
} kKinds[] = {{"plain", make_plain},     {"copied", make_copied},   {"enabled", make_enabled},
              {"payload", make_payload}, {"started", make_started}, {"marked", make_marked}};
enum { kKindCount = sizeof kKinds / sizeof *kKinds };

static int count_of(int kind, int phase) { return 10 * (kind + 1) + phase; }
static int samples_of(int phase) { return 5 + phase; }

static void make_phase(int phase) {
  for (int kind = 0; kind < kKindCount; ++kind) {
    char name[64];
    snprintf(name, sizeof name, "%s %d", kKinds[kind].name, phase);
    for (int i = 0; i < count_of(kind, phase); ++i) kKinds[kind].make(name);
  }
  for (int i = 0; i < samples_of(phase); ++i)
    nvtxCounterSampleInt64(g_known.domain, g_known.counter, i);
}

static void print_counts(int phases) {
  printf("{\"C\": {\"pid\": %d, \"counts\": [", getpid());
  for (int phase = 0; phase < phases; ++phase) {
    printf("%s{", phase == 0 ? "" : ", ");
    for (int kind = 0; kind < kKindCount; ++kind)
      printf("\"%s %d\": %d, ", kKinds[kind].name, phase, count_of(kind, phase));
    printf("\"samples\": %d}", samples_of(phase));
  }
  puts("]}}");
}

int main(void) {
  char line[64];
  int phases = 0;
  while (fgets(line, sizeof line, stdin) != NULL && phases < kPhases) {
    if (strcmp(line, "use\n") == 0) ask();
    if (strcmp(line, "use\n") == 0 || strcmp(line, "phase\n") == 0) make_phase(phases++);
    puts("done");
    fflush(stdout);
  }
  print_counts(phases);
  return 0;
}
