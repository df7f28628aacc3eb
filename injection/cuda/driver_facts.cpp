// What is read from the driver after cuInit: properties of devices.
#include <cstring>

#include "injection/core/record/rank_variables.hpp"
#include "injection/core/symbols/loader.hpp"
#include "injection/cuda/scoped.hpp"
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
TimingFacts g_timing;
int g_driver_version = 0;

// A part of a GPU by MIG has this in its name.
constexpr char kPartOfGpu[] = " MIG ";

void note_timing(CUdevice device) {
  const auto attribute = PROF_DRIVER_FUNCTION(cuDeviceGetAttribute);
  const auto name_of = PROF_DRIVER_FUNCTION(cuDeviceGetName);
  int major = 0, minor = 0, mps = 0;
  attribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
  attribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
  attribute(&mps, CU_DEVICE_ATTRIBUTE_MPS_ENABLED, device);
  char name[256] = "";
  if (name_of != nullptr) name_of(name, sizeof name, device);
  const int capability = major * 10 + minor;
  if (g_timing.devices++ == 0 || capability < g_timing.oldest) g_timing.oldest = capability;
  g_timing.has_mps = g_timing.has_mps || mps == 1;
  g_timing.has_mig = g_timing.has_mig || std::strstr(name, kPartOfGpu) != nullptr;
}

void ask_driver() {
  const auto count = PROF_DRIVER_FUNCTION(cuDeviceGetCount);
  const auto get = PROF_DRIVER_FUNCTION(cuDeviceGet);
  const auto attribute = PROF_DRIVER_FUNCTION(cuDeviceGetAttribute);
  const auto version = PROF_DRIVER_FUNCTION(cuDriverGetVersion);
  if (version != nullptr) version(&g_driver_version);
  if (count == nullptr || get == nullptr || attribute == nullptr) return;
  if (count(&g_devices) != CUDA_SUCCESS) return;
  g_timing = {};
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
    note_timing(device);
  }
}

// Counters are configured for each device, after the driver knows its devices. Some machines cannot
// count and refuse; this is not an error.
bool configure_unified_memory() {
  const std::uint32_t flags = core::g_process.config.cuda.flags;
  if (g_cupti.cuptiActivityConfigureUnifiedMemoryCounter == nullptr) return false;
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
  return used != 0 &&
         g_cupti.cuptiActivityConfigureUnifiedMemoryCounter(config, used) == CUPTI_SUCCESS;
}

}  // namespace

void on_init_finished() {
  core::ThreadState& t = core::t_state;
  const bool inside = t.in_cupti;
  t.in_cupti = true;
  ask_driver();
  choose_timing(g_timing);
  const bool counts = configure_unified_memory();
  if (are_activities_delayed()) {
    select_fields();
    enable_activities();
  }
  if (counts) g_cupti.cuptiActivityEnable(CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER);
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
