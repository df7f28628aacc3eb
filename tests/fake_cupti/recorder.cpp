// libcupti_recorder.so: records what CUPTI delivers on a machine with a GPU, so that the fakes can
// replay it on a machine without one. It needs only libc:
//
//   CUDA_INJECTION64_PATH=$PWD/libcupti_recorder.so FAKE_CUPTI_RECORD=trace.cupti ./program
//
// FAKE_CUPTI_RECORD    the file; a second process of the program writes FILE.PID
// FAKE_CUPTI_LIMIT     callbacks, and records, that are kept (20000 of each)
// FAKE_CUPTI_GRAPHS    "node": graphs node by node, not as a whole
// FAKE_CUPTI_LIBRARY   the libcupti to use
//
// It enables what injection/cuda enables, and every API function.
#include <cupti.h>
#include <dlfcn.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

#include "recorder_file.hpp"
#include "trace_format.hpp"

namespace fake {
namespace {

#define FUNCTIONS(X)                            \
  X(cuptiGetVersion)                            \
  X(cuptiSubscribe)                             \
  X(cuptiEnableCallback)                        \
  X(cuptiEnableDomain)                          \
  X(cuptiGetCallbackName)                       \
  X(cuptiActivityEnable)                        \
  X(cuptiActivityRegisterCallbacks)             \
  X(cuptiActivityRegisterTimestampCallback)     \
  X(cuptiActivityGetNextRecord)                 \
  X(cuptiActivityGetNumDroppedRecords)          \
  X(cuptiActivityFlushAll)                      \
  X(cuptiActivityConfigureUnifiedMemoryCounter) \
  X(cuptiGetTimestamp)                          \
  X(cuptiGetGraphNodeId)                        \
  X(cuptiGetGraphId)                            \
  X(cuptiGetGraphExecId)                        \
  X(cuptiGetStreamIdEx)                         \
  X(cuptiSetThreadIdType)

struct {
#define X(name) decltype(&::name) name;
  FUNCTIONS(X)
#undef X
} g_cupti;

std::uint64_t now() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC_RAW, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(time.tv_nsec);
}
std::uint64_t CUPTIAPI timestamp() { return now(); }

bool g_graph_nodes;
std::size_t g_callbacks, g_records;
CUpti_SubscriberHandle g_subscriber;

thread_local std::uint32_t t_index;  // plus one; 0: the thread has made no call
thread_local bool t_flushing;

std::uint32_t thread_index() {
  static std::uint32_t next;
  if (t_index == 0) t_index = __atomic_add_fetch(&next, 1, __ATOMIC_RELAXED);
  return t_index - 1;
}

Deliverer deliverer() {
  if (t_flushing) return Deliverer::kFlush;
  return t_index == 0 ? Deliverer::kWorker : Deliverer::kProgram;
}

std::uint64_t recorded(Parameter kind, void* value, const CUpti_CallbackData& data,
                       const char* name) {
  switch (kind) {
    case Parameter::kStream: {
      std::uint32_t id = 0;
      g_cupti.cuptiGetStreamIdEx(data.context, static_cast<CUstream>(value),
                                 std::strstr(name, "_ptsz") != nullptr ? 1 : 0, &id);
      return id;
    }
    case Parameter::kEvent:
      return reinterpret_cast<std::uint64_t>(value);
    case Parameter::kNewEvent:
      if (*static_cast<const std::int32_t*>(data.functionReturnValue) != 0) return 0;
      return reinterpret_cast<std::uint64_t>(*static_cast<void**>(value));
    case Parameter::kOther:
      break;
  }
  return 0;
}

void take_parameters(Call& call, const CUpti_CallbackData& data) {
  const char* name = nullptr;
  g_cupti.cuptiGetCallbackName(static_cast<CUpti_CallbackDomain>(call.domain), call.cbid, &name);
  if (name == nullptr || data.functionParams == nullptr || data.functionReturnValue == nullptr)
    return;
  const Parameters known = parameters_of(name);
  const auto* values = static_cast<void* const*>(data.functionParams);
  for (int i = 0; i < 2; ++i)
    if (known.kinds[i] != Parameter::kOther)
      call.parameters[i] = recorded(known.kinds[i], values[i], data, name);
}

void on_call(CUpti_CallbackDomain domain, CUpti_CallbackId id, const CUpti_CallbackData& data) {
  constexpr std::size_t kIds = 2048;
  static bool named[2][kIds];
  const std::uint64_t time = now();
  const bool is_runtime = domain == CUPTI_CB_DOMAIN_RUNTIME_API;
  bool& is_named = named[is_runtime ? 0 : 1][id % kIds];
  const char* name = nullptr;
  if (!__atomic_load_n(&is_named, __ATOMIC_RELAXED))
    g_cupti.cuptiGetCallbackName(domain, id, &name);
  const bool is_exit = data.callbackSite == CUPTI_API_EXIT;
  const auto* result = static_cast<const std::int32_t*>(data.functionReturnValue);
  Call call{static_cast<std::uint32_t>(domain),
            id,
            static_cast<std::uint32_t>(data.callbackSite),
            data.correlationId,
            thread_index(),
            is_exit && result != nullptr ? *result : 0,
            data.contextUid,
            0,
            time,
            {}};
  if (is_exit) take_parameters(call, data);
  const Lock lock;
  if (!keep(g_callbacks)) return;
  if (name != nullptr && !is_named) {
    is_named = true;
    put_item(ItemType::kName, Name{call.domain, id}, name, std::strlen(name));
  }
  put_item(ItemType::kCall, call);
}

std::uint64_t id_of(CUgraph graph) {
  std::uint32_t id = 0;
  return graph != nullptr && g_cupti.cuptiGetGraphId(graph, &id) == CUPTI_SUCCESS ? id : 0;
}
std::uint64_t id_of(CUgraphNode node) {
  std::uint64_t id = 0;
  return node != nullptr && g_cupti.cuptiGetGraphNodeId(node, &id) == CUPTI_SUCCESS ? id : 0;
}
std::uint64_t id_of(CUgraphExec exec) {
  std::uint32_t id = 0;
  if (exec == nullptr || g_cupti.cuptiGetGraphExecId == nullptr) return 0;
  return g_cupti.cuptiGetGraphExecId(exec, &id) == CUPTI_SUCCESS ? id : 0;
}

// Some machines cannot count, and refuse.
void enable_unified_memory() {
  using Count = CUresult(int*);
  void* driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  auto* count =
      driver == nullptr ? nullptr : reinterpret_cast<Count*>(dlsym(driver, "cuDeviceGetCount"));
  int devices = 0;
  if (count == nullptr || count(&devices) != CUDA_SUCCESS) return;
  constexpr CUpti_ActivityUnifiedMemoryCounterKind kKinds[] = {
      CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_HTOD,
      CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_DTOH,
      CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_CPU_PAGE_FAULT_COUNT,
      CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_GPU_PAGE_FAULT};
  CUpti_ActivityUnifiedMemoryCounterConfig config[64] = {};
  std::uint32_t used = 0;
  for (int device = 0; device < devices && used + 4 <= 64; ++device)
    for (const auto kind : kKinds) {
      config[used].scope = CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_SCOPE_PROCESS_SINGLE_DEVICE;
      config[used].kind = kind;
      config[used].deviceId = static_cast<std::uint32_t>(device);
      config[used++].enable = 1;
    }
  if (used != 0 &&
      g_cupti.cuptiActivityConfigureUnifiedMemoryCounter(config, used) == CUPTI_SUCCESS)
    g_cupti.cuptiActivityEnable(CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER);
}

void on_resource(CUpti_CallbackId id, const CUpti_ResourceData& data) {
  Resource item{id, thread_index(), now(), 0, 0, 0, 0, 0};
  if (id == CUPTI_CBID_RESOURCE_CU_INIT_FINISHED) {
    enable_unified_memory();
  } else if (data.resourceDescriptor != nullptr) {
    // CUPTI leaves fields that a callback does not set undefined, so only the fields of this
    // callback are read.
    const auto& graph = *static_cast<const CUpti_GraphData*>(data.resourceDescriptor);
    const bool is_node =
        id == CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED || id == CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED;
    item.graph = id_of(graph.graph);
    if (is_node) item.node = id_of(graph.node);
    if (id == CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED) item.original_node = id_of(graph.originalNode);
    if (id == CUPTI_CBID_RESOURCE_GRAPH_CLONED) item.original_graph = id_of(graph.originalGraph);
    if (id == CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATED) item.exec = id_of(graph.graphExec);
  }
  const Lock lock;
  if (keep(g_callbacks)) put_item(ItemType::kResource, item);
}

void CUPTIAPI on_callback(void*, CUpti_CallbackDomain domain, CUpti_CallbackId id,
                          const void* data) {
  if (domain == CUPTI_CB_DOMAIN_RESOURCE)
    on_resource(id, *static_cast<const CUpti_ResourceData*>(data));
  else if (domain == CUPTI_CB_DOMAIN_RUNTIME_API || domain == CUPTI_CB_DOMAIN_DRIVER_API)
    on_call(domain, id, *static_cast<const CUpti_CallbackData*>(data));
}

// Activity records.

constexpr std::size_t kBufferBytes = 1 << 20;

void CUPTIAPI on_buffer_requested(std::uint8_t** memory, std::size_t* size, std::size_t* records) {
  *memory = static_cast<std::uint8_t*>(aligned_alloc(8, kBufferBytes));
  *size = *memory == nullptr ? 0 : kBufferBytes;
  *records = 0;
}

// Reads and clears the pointer at `offset`, if the record is long enough to have it.
const char* take_pointer(std::byte* record, std::size_t size, std::size_t offset) {
  const char* value = nullptr;
  if (offset + sizeof value > size) return nullptr;
  std::memcpy(&value, record + offset, sizeof value);
  std::memset(record + offset, 0, sizeof value);
  return value;
}

// Clears the pointers of a copied record. Returns the text that one of them points to.
const char* take_text(CUpti_ActivityKind kind, std::byte* record, std::size_t size) {
  const auto take = [&](std::size_t offset) { return take_pointer(record, size, offset); };
  switch (kind) {
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
    case CUPTI_ACTIVITY_KIND_KERNEL:
      take(offsetof(CUpti_ActivityKernel10, reserved0));
      take(offsetof(CUpti_ActivityKernel10, pAccessPolicyWindow));
      return take(offsetof(CUpti_ActivityKernel10, name));
    case CUPTI_ACTIVITY_KIND_DEVICE:
      return take(offsetof(CUpti_ActivityDevice5, name));
    case CUPTI_ACTIVITY_KIND_MEMORY2:
      take(offsetof(CUpti_ActivityMemory4, source));
      return take(offsetof(CUpti_ActivityMemory4, name));
    case CUPTI_ACTIVITY_KIND_MEMCPY:
      take(offsetof(CUpti_ActivityMemcpy6, reserved0));
      return nullptr;
    case CUPTI_ACTIVITY_KIND_MEMCPY2:
      take(offsetof(CUpti_ActivityMemcpyPtoP4, reserved0));
      return nullptr;
    case CUPTI_ACTIVITY_KIND_MEMSET:
      take(offsetof(CUpti_ActivityMemset4, reserved0));
      return nullptr;
    case CUPTI_ACTIVITY_KIND_CUDA_EVENT:
      take(offsetof(CUpti_ActivityCudaEvent2, reserved0));
      return nullptr;
    case CUPTI_ACTIVITY_KIND_GRAPH_TRACE:
      take(offsetof(CUpti_ActivityGraphTrace2, reserved));
      return nullptr;
    case CUPTI_ACTIVITY_KIND_DEVICE_ATTRIBUTE:
      return nullptr;
    case CUPTI_ACTIVITY_KIND_OVERHEAD:
      take(offsetof(CUpti_ActivityOverhead3, overheadData));
      return nullptr;
    default:
      return nullptr;
  }
}

void put_record(std::uint32_t buffer, const std::byte* record, std::size_t size) {
  alignas(8) std::byte copy[1024];
  if (size > sizeof copy) size = sizeof copy;
  std::memcpy(copy, record, size);
  CUpti_ActivityKind kind;
  std::memcpy(&kind, copy, sizeof kind);
  const char* text = take_text(kind, copy, size);
  const std::size_t length = text == nullptr ? 0 : std::strlen(text);
  const Lock lock;
  if (!keep(g_records)) return;
  put_item(ItemType::kRecord,
           Record{buffer, deliverer(), static_cast<std::uint32_t>(size),
                  static_cast<std::uint32_t>(length)},
           copy, size, text, length);
}

void CUPTIAPI on_buffer_completed(CUcontext, std::uint32_t, std::uint8_t* memory, std::size_t,
                                  std::size_t valid) {
  static std::uint32_t buffers;
  const std::uint32_t number = __atomic_fetch_add(&buffers, 1, __ATOMIC_RELAXED);
  std::size_t dropped = 0;
  g_cupti.cuptiActivityGetNumDroppedRecords(nullptr, 0, &dropped);
  {
    const Lock lock;
    if (has_room(g_records))
      put_item(ItemType::kBuffer, Buffer{number, deliverer(), valid, dropped, now()});
  }
  CUpti_Activity* record = nullptr;
  const std::byte* last = nullptr;
  while (g_cupti.cuptiActivityGetNextRecord(memory, valid, &record) == CUPTI_SUCCESS) {
    const auto* here = reinterpret_cast<const std::byte*>(record);
    if (last != nullptr) put_record(number, last, static_cast<std::size_t>(here - last));
    last = here;
  }
  if (last != nullptr)
    put_record(number, last,
               static_cast<std::size_t>(reinterpret_cast<const std::byte*>(memory) + valid - last));
  std::free(memory);
}

void flush_at_exit() {
  if (!is_file_open()) return;
  t_flushing = true;
  g_cupti.cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  t_flushing = false;
  const std::size_t left_out = close_file();
  std::fprintf(stderr, "recorder: %zu callbacks, %zu records, %zu left out\n", g_callbacks,
               g_records, left_out);
}

// Start of the recorder.

void* open_library() {
  if (const char* wanted = std::getenv("FAKE_CUPTI_LIBRARY"); wanted != nullptr)
    return dlopen(wanted, RTLD_NOW);
  if (void* library = dlopen("libcupti.so.13", RTLD_NOW | RTLD_NOLOAD)) return library;
  for (const char* path : {"libcupti.so.13", "/usr/local/cuda/extras/CUPTI/lib64/libcupti.so.13",
                           "/usr/local/cuda/lib64/libcupti.so.13", "libcupti.so.12",
                           "/usr/local/cuda/extras/CUPTI/lib64/libcupti.so.12"})
    if (void* library = dlopen(path, RTLD_NOW)) return library;
  return nullptr;
}

#define CHECKED(name, ...)                                                           \
  if (const CUptiResult result = g_cupti.name(__VA_ARGS__); result != CUPTI_SUCCESS) \
  std::fprintf(stderr, "recorder: " #name " failed with %d\n", static_cast<int>(result))

void write_header() {
  Header header{};
  std::memcpy(header.magic, kMagic, sizeof kMagic);
  header.format = kFormat;
  g_cupti.cuptiGetVersion(&header.cupti_version);
  std::uint64_t theirs = 0;
  const std::uint64_t before = now();
  g_cupti.cuptiGetTimestamp(&theirs);
  const std::uint64_t after = now();
  header.start = before;
  if (theirs < before || theirs > after)
    header.clock_lag = static_cast<std::int64_t>(theirs - (before + after) / 2);
  header.graph_nodes = g_graph_nodes;
  const Lock lock;
  put(&header, sizeof header);
}

void enable_activities() {
  CHECKED(cuptiActivityRegisterCallbacks, on_buffer_requested, on_buffer_completed);
  CHECKED(cuptiSetThreadIdType, CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM);
  for (const CUpti_ActivityKind kind :
       {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_DEVICE,
        CUPTI_ACTIVITY_KIND_CONTEXT, CUPTI_ACTIVITY_KIND_STREAM, CUPTI_ACTIVITY_KIND_MEMCPY,
        CUPTI_ACTIVITY_KIND_MEMCPY2, CUPTI_ACTIVITY_KIND_MEMSET,
        CUPTI_ACTIVITY_KIND_SYNCHRONIZATION, CUPTI_ACTIVITY_KIND_OVERHEAD,
        CUPTI_ACTIVITY_KIND_CUDA_EVENT, CUPTI_ACTIVITY_KIND_MEMORY2,
        CUPTI_ACTIVITY_KIND_MEMORY_POOL})
    CHECKED(cuptiActivityEnable, kind);
  if (!g_graph_nodes) CHECKED(cuptiActivityEnable, CUPTI_ACTIVITY_KIND_GRAPH_TRACE);
}

void enable_callbacks() {
  CHECKED(cuptiEnableDomain, 1, g_subscriber, CUPTI_CB_DOMAIN_RUNTIME_API);
  CHECKED(cuptiEnableDomain, 1, g_subscriber, CUPTI_CB_DOMAIN_DRIVER_API);
  for (const CUpti_CallbackId id :
       {CUPTI_CBID_RESOURCE_CU_INIT_FINISHED, CUPTI_CBID_RESOURCE_GRAPH_CREATED,
        CUPTI_CBID_RESOURCE_GRAPH_CLONED, CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATED})
    CHECKED(cuptiEnableCallback, 1, g_subscriber, CUPTI_CB_DOMAIN_RESOURCE, id);
  if (!g_graph_nodes) return;
  for (const CUpti_CallbackId id :
       {CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED, CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED})
    CHECKED(cuptiEnableCallback, 1, g_subscriber, CUPTI_CB_DOMAIN_RESOURCE, id);
}

bool start() {
  void* library = open_library();
  if (library == nullptr) {
    std::fprintf(stderr, "recorder: no libcupti: %s\n", dlerror());
    return false;
  }
  bool complete = true;
#define X(name)                                                              \
  g_cupti.name = reinterpret_cast<decltype(&::name)>(dlsym(library, #name)); \
  complete =                                                                 \
      complete && (g_cupti.name != nullptr || std::strcmp(#name, "cuptiGetGraphExecId") == 0);
  FUNCTIONS(X)
#undef X
  if (!complete || !open_file()) {
    std::fprintf(stderr,
                 "recorder: libcupti lacks a function, or FAKE_CUPTI_RECORD cannot be written\n");
    return false;
  }
  const char* graphs = std::getenv("FAKE_CUPTI_GRAPHS");
  g_graph_nodes = graphs != nullptr && std::strcmp(graphs, "node") == 0;
  CHECKED(cuptiSubscribe, &g_subscriber, on_callback, nullptr);
  CHECKED(cuptiActivityRegisterTimestampCallback, timestamp);
  write_header();
  enable_activities();
  enable_callbacks();
  atexit(flush_at_exit);
  return true;
}

}  // namespace
}  // namespace fake

extern "C" __attribute__((visibility("default"))) int InitializeInjection() {
  static bool started;
  if (!__atomic_exchange_n(&started, true, __ATOMIC_SEQ_CST)) fake::start();
  return 1;
}
