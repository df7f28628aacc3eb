// CUPTI's callbacks for resources: the end of cuInit, and new graphs and graph nodes.
#include "common/wire/stack_records.hpp"
#include "injection/core/clock.hpp"
#include "injection/core/doors.hpp"
#include "injection/core/record/rank_variables.hpp"
#include "injection/core/record/stack_copy.hpp"
#include "injection/core/symbols/loader.hpp"
#include "injection/cuda/state.hpp"

namespace prof::cuda {

namespace {

constexpr int kMaxDevices = 32;

// Properties of a device that the driver knows and CUPTI's DEVICE record lacks.
struct DriverFacts {
  std::atomic<bool> known;
  int pci_domain, pci_bus, pci_device, integrated, max_shared_optin;
};
constinit DriverFacts g_facts[kMaxDevices]{};
int g_devices = 0;
int g_driver_version = 0;

template <class Function>
Function* driver_function(const char* name) {
  return reinterpret_cast<Function*>(driver_symbol(name));
}

void ask_driver() {
  const auto count = driver_function<decltype(cuDeviceGetCount)>("cuDeviceGetCount");
  const auto get = driver_function<decltype(cuDeviceGet)>("cuDeviceGet");
  const auto attribute = driver_function<decltype(cuDeviceGetAttribute)>("cuDeviceGetAttribute");
  const auto version = driver_function<decltype(cuDriverGetVersion)>("cuDriverGetVersion");
  if (version != nullptr) version(&g_driver_version);
  if (count == nullptr || get == nullptr || attribute == nullptr) return;
  if (count(&g_devices) != CUDA_SUCCESS) return;
  for (int i = 0; i < g_devices && i < kMaxDevices; ++i) {
    CUdevice device = 0;
    if (get(&device, i) != CUDA_SUCCESS) continue;
    DriverFacts& facts = g_facts[i];
    attribute(&facts.pci_domain, CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID, device);
    attribute(&facts.pci_bus, CU_DEVICE_ATTRIBUTE_PCI_BUS_ID, device);
    attribute(&facts.pci_device, CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID, device);
    attribute(&facts.integrated, CU_DEVICE_ATTRIBUTE_INTEGRATED, device);
    attribute(&facts.max_shared_optin, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN,
              device);
    facts.known.store(true, std::memory_order_release);
  }
}

// Counters are configured for each device, after the driver knows its devices. Some machines cannot
// count and refuse; this is not an error.
void enable_unified_memory() {
  const std::uint32_t flags = core::g_process.config.cuda.flags;
  if (g_cupti.cuptiActivityConfigureUnifiedMemoryCounter == nullptr) return;
  CUpti_ActivityUnifiedMemoryCounterConfig config[4 * kMaxDevices] = {};
  std::uint32_t used = 0;
  const auto add = [&](CUpti_ActivityUnifiedMemoryCounterKind kind, int device) {
    config[used].scope = CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_SCOPE_PROCESS_SINGLE_DEVICE;
    config[used].kind = kind;
    config[used].deviceId = static_cast<std::uint32_t>(device);
    config[used++].enable = 1;
  };
  for (int device = 0; device < g_devices && device < kMaxDevices; ++device) {
    add(CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_HTOD, device);
    add(CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_DTOH, device);
    if ((flags & wire::kCudaUnifiedMemoryCpuFaults) != 0)
      add(CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_CPU_PAGE_FAULT_COUNT, device);
    if ((flags & wire::kCudaUnifiedMemoryGpuFaults) != 0)
      add(CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_GPU_PAGE_FAULT, device);
  }
  if (used != 0 &&
      g_cupti.cuptiActivityConfigureUnifiedMemoryCounter(config, used) == CUPTI_SUCCESS)
    g_cupti.cuptiActivityEnable(CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER);
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
  return exec != nullptr && g_cupti.cuptiGetGraphExecId != nullptr &&
                 g_cupti.cuptiGetGraphExecId(exec, &id) == CUPTI_SUCCESS
             ? id
             : 0;
}

void write_at(std::uint64_t time, wire::CudaGraphEvent event, std::uint64_t id,
              std::uint64_t original, std::uint64_t exec) {
  core::append(wire::CudaGraphEventRecord{
      core::header_of<wire::CudaGraphEventRecord>(wire::RecordType::kCudaGraphEvent,
                                                  static_cast<std::uint32_t>(event)),
      time, id, original, exec});
}

void write(wire::CudaGraphEvent event, std::uint64_t id, std::uint64_t original,
           std::uint64_t exec) {
  write_at(core::now(), event, id, original, exec);
}

// A node is made once and launched often. It gets the call chain that a launch would get; a
// threshold for the time of calls does not concern it.
void write_new_node(std::uint64_t id) {
  const std::uint64_t time = core::now();
  const wire::CudaConfig& config = core::g_process.config.cuda;
  constexpr auto kLaunch = static_cast<std::size_t>(wire::CudaCallKind::kKernel);
  if (core::has_feature(wire::kFeaturePythonCuda)) core::g_doors.record_python_chain(time);
  if (core::has_feature(wire::kFeatureCudaStacks) &&
      config.stack_thresholds[kLaunch] != ~std::uint64_t{0})
    core::send_stack(time, config.stack_bytes,
                     wire::kStackOfCuda | (core::t_state.cuda_depth != 0 ? wire::kStackOfCudaRuntime
                                                                         : std::uint8_t{0}));
  write_at(time, wire::CudaGraphEvent::kNodeCreated, id, 0, 0);
}

}  // namespace

void on_init_finished() {
  core::ThreadState& t = core::t_state;
  const bool inside = t.in_cupti;
  t.in_cupti = true;
  ask_driver();
  enable_unified_memory();
  t.in_cupti = inside;
  // Programs that start their ranks themselves set the variables before they use a GPU.
  core::send_current_rank_variables();
}

void disable_unified_memory() {
  if (g_cupti.cuptiActivityDisable != nullptr)
    g_cupti.cuptiActivityDisable(CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER);
}

void* driver_symbol(const char* name) {
  void* driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  return driver == nullptr ? nullptr : dlsym(driver, name);
}

void enable_resource_callbacks() {
  const auto enable = [](CUpti_CallbackId id) {
    g_cupti.cuptiEnableCallback(1, g_state.subscriber, CUPTI_CB_DOMAIN_RESOURCE, id);
  };
  enable(CUPTI_CBID_RESOURCE_CU_INIT_FINISHED);
  enable(CUPTI_CBID_RESOURCE_GRAPH_CREATED);
  enable(CUPTI_CBID_RESOURCE_GRAPH_CLONED);
  enable(CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATED);
  if ((core::g_process.config.cuda.flags & wire::kCudaGraphNodes) == 0) return;
  enable(CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED);
  enable(CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED);
  enable(CUPTI_CBID_RESOURCE_GRAPH_NODE_UPDATED);  // older versions lack it
}

void on_resource(CUpti_CallbackId id, const CUpti_ResourceData& data) {
  using wire::CudaGraphEvent;
  if (id == CUPTI_CBID_RESOURCE_CU_INIT_FINISHED) return on_init_finished();
  if (data.resourceDescriptor == nullptr) return;
  const auto& graph = *static_cast<const CUpti_GraphData*>(data.resourceDescriptor);
  switch (id) {
    case CUPTI_CBID_RESOURCE_GRAPH_CREATED:
      return write(CudaGraphEvent::kGraphCreated, id_of(graph.graph), 0, 0);
    case CUPTI_CBID_RESOURCE_GRAPH_CLONED:
      return write(CudaGraphEvent::kGraphCloned, id_of(graph.graph), id_of(graph.originalGraph), 0);
    case CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATED:
      return write(CudaGraphEvent::kExecCreated, id_of(graph.graph), 0, id_of(graph.graphExec));
    case CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED:
      return write_new_node(id_of(graph.node));
    case CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED:
      return write(CudaGraphEvent::kNodeCloned, id_of(graph.node), id_of(graph.originalNode), 0);
    case CUPTI_CBID_RESOURCE_GRAPH_NODE_UPDATED:
      if (const std::uint64_t original = id_of(graph.originalNode); original != 0)
        write(CudaGraphEvent::kNodeUpdated, id_of(graph.node), original, 0);
      return;
    default:
      return;
  }
}

void complete_device(wire::CudaDeviceRecord& record) {
  if (record.header.aux >= kMaxDevices) return;
  const DriverFacts& facts = g_facts[record.header.aux];
  if (!facts.known.load(std::memory_order_acquire)) return;
  record.header.flags |= wire::kCudaDeviceUsable;
  record.driver_version = static_cast<std::uint64_t>(g_driver_version);
  record.pci_domain = static_cast<std::uint32_t>(facts.pci_domain);
  record.pci_bus = static_cast<std::uint32_t>(facts.pci_bus);
  record.pci_device = static_cast<std::uint32_t>(facts.pci_device);
  record.integrated = static_cast<std::uint32_t>(facts.integrated);
  record.max_shared_per_block_optin = static_cast<std::uint32_t>(facts.max_shared_optin);
}

}  // namespace prof::cuda
