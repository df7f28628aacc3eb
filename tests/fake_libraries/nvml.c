// A stand-in for NVML with GPUs that are made up. What they do is a function of their number and
// the time since nvmlInit, so tests know every value. The variable FAKE_NVML has words separated by
// commas:
//   gpus=N        number of GPUs (1)
//   init=CODE     nvmlInit fails with this code
//   lost=I@MS     GPU I is lost MS milliseconds after nvmlInit
//   deny=NAME     functions whose name contains NAME answer "no permission"
//   links=N       NVLinks between each two GPUs, through a switch (0)
//   process=PID   a process on GPU 0
// GPU I takes 100 + 50 I W, is at 40 + I C, and its SM clock is 1000 + 100 I MHz. It sends
// (I + 1) * 10 MB/s and receives twice as much over PCIe, and 1024 KiB/ms over NVLink.
// Compiled with OLD_DRIVER it lacks what drivers of 2018 lack.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef int Return;
typedef struct Gpu* Device;
enum {
  kSuccess = 0,
  kInvalid = 2,
  kNotSupported = 3,
  kNoPermission = 4,
  kTooSmall = 7,
  kLost = 15,
  kVersionMismatch = 18
};

enum { kMaxGpus = 16 };
struct Gpu {
  int index;
};
static struct Gpu g_gpus[kMaxGpus];
static double g_start;

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC_RAW, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static double seconds(void) { return now() - g_start; }

// The text after "key=" among the words; null: there is none.
static const char* option(const char* key) {
  const char* words = getenv("FAKE_NVML");
  size_t size = strlen(key);
  while (words != NULL) {
    if (strncmp(words, key, size) == 0 && words[size] == '=') return words + size + 1;
    words = strchr(words, ',');
    if (words != NULL) ++words;
  }
  return NULL;
}

static int number(const char* key, int usual) {
  const char* text = option(key);
  return text == NULL ? usual : atoi(text);
}

static int is_denied(const char* function) {
  char name[64];
  const char* denied = option("deny");
  if (denied == NULL) return 0;
  snprintf(name, sizeof name, "%.*s", (int)strcspn(denied, ","), denied);
  return strstr(function, name) != NULL;
}

static Return check(Device gpu, const char* function) {
  int lost = -1, after = 0;
  const char* text = option("lost");
  if (gpu == NULL) return kInvalid;
  if (text != NULL) sscanf(text, "%d@%d", &lost, &after);
  if (lost == gpu->index && seconds() * 1000 >= after) return kLost;
  return is_denied(function) ? kNoPermission : kSuccess;
}
#define CHECK(gpu)                         \
  do {                                     \
    Return result = check(gpu, __func__);  \
    if (result != kSuccess) return result; \
  } while (0)

#ifdef OLD_DRIVER
Return nvmlInit(void) {
#else
Return nvmlInit_v2(void) {
#endif
  for (int i = 0; i < kMaxGpus; ++i) g_gpus[i].index = i;
  if (g_start == 0) g_start = now();
  return number("init", kSuccess);
}
Return nvmlShutdown(void) { return kSuccess; }

const char* nvmlErrorString(Return result) {
  switch (result) {
    case kSuccess:
      return "Success";
    case kNoPermission:
      return "Insufficient Permissions";
    case kLost:
      return "GPU is lost";
    default:
      return "Unknown Error";
  }
}

Return nvmlSystemGetDriverVersion(char* text, unsigned size) {
  snprintf(text, size, "580.00.01");
  return kSuccess;
}
Return nvmlSystemGetNVMLVersion(char* text, unsigned size) {
  snprintf(text, size, "13.580.00.01");
  return kSuccess;
}
Return nvmlSystemGetCudaDriverVersion_v2(int* version) {
  *version = 13000;
  return kSuccess;
}

#ifdef OLD_DRIVER
#define VERSIONED(new_name, old_name) old_name
#else
#define VERSIONED(new_name, old_name) new_name
#endif
Return VERSIONED(nvmlDeviceGetCount_v2, nvmlDeviceGetCount)(unsigned* count) {
  *count = (unsigned)number("gpus", 1);
  return kSuccess;
}
Return VERSIONED(nvmlDeviceGetHandleByIndex_v2, nvmlDeviceGetHandleByIndex)(unsigned index,
                                                                            Device* gpu) {
  if (index >= kMaxGpus) return kInvalid;
  *gpu = &g_gpus[index];
  return check(*gpu, __func__);
}
Return nvmlDeviceGetName(Device gpu, char* text, unsigned size) {
  CHECK(gpu);
  snprintf(text, size, "Fake GPU");
  return kSuccess;
}
Return nvmlDeviceGetUUID(Device gpu, char* text, unsigned size) {
  CHECK(gpu);
  snprintf(text, size, "GPU-%08d-0000-0000-0000-000000000000", gpu->index);
  return kSuccess;
}

struct Pci {
  char legacy[16];
  unsigned domain, bus, device, device_id, subsystem;
  char id[32];
};
Return nvmlDeviceGetPciInfo_v3(Device gpu, struct Pci* pci) {
  CHECK(gpu);
  memset(pci, 0, sizeof *pci);
  pci->bus = 0x10 + (unsigned)gpu->index;
  snprintf(pci->id, sizeof pci->id, "00000000:%02X:00.0", pci->bus);
  return kSuccess;
}
Return nvmlDeviceGetCudaComputeCapability(Device gpu, int* major, int* minor) {
  CHECK(gpu);
  *major = 9;
  *minor = 0;
  return kSuccess;
}
Return nvmlDeviceGetPowerUsage(Device gpu, unsigned* power) {
  CHECK(gpu);
  *power = (unsigned)(100 + 50 * gpu->index) * 1000;
  return kSuccess;
}
Return nvmlDeviceGetTemperature(Device gpu, int sensor, unsigned* temperature) {
  CHECK(gpu);
  if (sensor != 0) return kInvalid;
  *temperature = 40 + (unsigned)gpu->index;
  return kSuccess;
}
Return nvmlDeviceGetClockInfo(Device gpu, int type, unsigned* clock) {
  CHECK(gpu);
  *clock = type == 2 ? 2600 : 1000 + 100 * (unsigned)gpu->index;
  return kSuccess;
}
Return nvmlDeviceGetMaxClockInfo(Device gpu, int type, unsigned* clock) {
  CHECK(gpu);
  *clock = type == 2 ? 2619 : 1980;
  return kSuccess;
}
struct Utilization {
  unsigned gpu, memory;
};
Return nvmlDeviceGetUtilizationRates(Device gpu, struct Utilization* use) {
  CHECK(gpu);
  use->gpu = 75;
  use->memory = 25;
  return kSuccess;
}
struct Memory {
  unsigned long long total, free, used;
};
// The older function counts what the driver reserves as used.
Return nvmlDeviceGetMemoryInfo(Device gpu, struct Memory* memory) {
  CHECK(gpu);
  memory->total = 80ULL << 30;
  memory->used = (8ULL << 30) + (480ULL << 20);
  memory->free = memory->total - memory->used;
  return kSuccess;
}
struct MemoryV2 {
  unsigned version;
  unsigned long long total, reserved, free, used;
};
Return nvmlDeviceGetMemoryInfo_v2(Device gpu, struct MemoryV2* memory) {
  CHECK(gpu);
  if (memory->version != (sizeof *memory | 2U << 24)) return kVersionMismatch;
  memory->total = 80ULL << 30;
  memory->reserved = 480ULL << 20;
  memory->used = 8ULL << 30;
  memory->free = memory->total - memory->used - memory->reserved;
  return kSuccess;
}
Return nvmlDeviceGetEnforcedPowerLimit(Device gpu, unsigned* limit) {
  CHECK(gpu);
  *limit = 700000;
  return kSuccess;
}
Return nvmlDeviceGetPowerManagementDefaultLimit(Device gpu, unsigned* limit) {
  return nvmlDeviceGetEnforcedPowerLimit(gpu, limit);
}
Return nvmlDeviceGetPowerManagementLimitConstraints(Device gpu, unsigned* least, unsigned* most) {
  CHECK(gpu);
  *least = 200000;
  *most = 700000;
  return kSuccess;
}
// Throttled by power from second 1 on, if GPU 0.
Return VERSIONED(nvmlDeviceGetCurrentClocksEventReasons,
                 nvmlDeviceGetCurrentClocksThrottleReasons)(Device gpu,
                                                            unsigned long long* reasons) {
  CHECK(gpu);
  *reasons = gpu->index == 0 && seconds() >= 1 ? 4 : 0;
  return kSuccess;
}
Return nvmlDeviceGetTotalEccErrors(Device gpu, int error, int counter, unsigned long long* errors) {
  CHECK(gpu);
  (void)counter;
  *errors = error == 0 ? 3 : 0;
  return kSuccess;
}
Return nvmlDeviceGetCurrPcieLinkGeneration(Device gpu, unsigned* value) {
  CHECK(gpu);
  *value = 5;
  return kSuccess;
}
Return nvmlDeviceGetCurrPcieLinkWidth(Device gpu, unsigned* value) {
  CHECK(gpu);
  *value = 16;
  return kSuccess;
}

#ifdef OLD_DRIVER
// Measures for 20 ms.
Return nvmlDeviceGetPcieThroughput(Device gpu, int counter, unsigned* value) {
  struct timespec pause = {0, 20000000};
  CHECK(gpu);
  nanosleep(&pause, NULL);
  *value = (unsigned)(gpu->index + 1) * (counter == 0 ? 10000 : 20000);
  return kSuccess;
}
#else
Return nvmlDeviceGetTotalEnergyConsumption(Device gpu, unsigned long long* energy) {
  CHECK(gpu);
  *energy = (unsigned long long)(1e3 * seconds() * (100 + 50 * gpu->index));
  return kSuccess;
}
Return nvmlDeviceGetEncoderUtilization(Device gpu, unsigned* use, unsigned* period) {
  CHECK(gpu);
  *use = 5;
  *period = 1000;
  return kSuccess;
}

struct Field {
  unsigned field, scope;
  long long time, latency;
  int type;
  Return result;
  unsigned long long value;
};
Return nvmlDeviceGetFieldValues(Device gpu, int count, struct Field* fields) {
  CHECK(gpu);
  for (int i = 0; i < count; ++i) {
    struct Field* field = &fields[i];
    const double rate = 1e7 * (gpu->index + 1);
    field->type = 3;  // unsigned long long
    field->result = kSuccess;
    switch (field->field) {
      case 82:
        field->value = 50;
        break;
      case 164:
        field->type = 1;  // unsigned
        field->value = 25000;
        break;
      case 138:
      case 139:
        field->value = (unsigned long long)(seconds() * 1024 * 1000);
        field->result = number("links", 0) > 0 ? kSuccess : kNotSupported;
        break;
      case 197:
        field->value = (unsigned long long)(seconds() * rate);
        break;
      case 198:
        field->value = (unsigned long long)(seconds() * 2 * rate);
        break;
      default:
        field->result = kNotSupported;
    }
  }
  return kSuccess;
}

struct Process {
  unsigned pid;
  unsigned long long memory;
  unsigned gpu_instance, compute_instance;
};
Return nvmlDeviceGetComputeRunningProcesses_v3(Device gpu, unsigned* count, struct Process* list) {
  const int pid = number("process", 0);
  const unsigned wanted = pid != 0 && gpu->index == 0;
  const unsigned room = *count;
  CHECK(gpu);
  *count = wanted;
  if (wanted == 0) return kSuccess;
  if (room == 0) return kTooSmall;
  list[0] = (struct Process){(unsigned)pid, 3ULL << 30, ~0U, ~0U};
  return kSuccess;
}
Return nvmlDeviceGetGraphicsRunningProcesses_v3(Device gpu, unsigned* count, struct Process* list) {
  (void)list;
  CHECK(gpu);
  *count = 0;
  return kSuccess;
}
struct ProcessUse {
  unsigned pid;
  unsigned long long time;
  unsigned sm, memory, encoder, decoder;
};
Return nvmlDeviceGetProcessUtilization(Device gpu, struct ProcessUse* list, unsigned* count,
                                       unsigned long long last_seen) {
  CHECK(gpu);
  *count = 1;
  if (list == NULL) return kTooSmall;
  list[0] = (struct ProcessUse){(unsigned)number("process", 0), last_seen + 1000, 60, 20, 1, 2};
  return kSuccess;
}

Return nvmlDeviceGetTopologyCommonAncestor(Device a, Device b, int* level) {
  CHECK(a);
  CHECK(b);
  *level = a->index / 2 == b->index / 2 ? 20 : 50;  // pairs below one switch
  return kSuccess;
}
Return nvmlDeviceGetMemoryAffinity(Device gpu, unsigned size, unsigned long* nodes, int scope) {
  CHECK(gpu);
  if (size < 1 || scope != 0) return kInvalid;
  *nodes = 1UL << (gpu->index / 2);
  return kSuccess;
}
Return nvmlDeviceGetNvLinkState(Device gpu, unsigned link, int* is_active) {
  CHECK(gpu);
  if ((int)link >= number("links", 0)) return kNotSupported;
  *is_active = 1;
  return kSuccess;
}
Return nvmlDeviceGetNvLinkRemoteDeviceType(Device gpu, unsigned link, int* type) {
  CHECK(gpu);
  (void)link;
  *type = 2;
  return kSuccess;
}
#endif
