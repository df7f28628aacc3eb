#include "collector/ingest/cuda/gpu_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <tuple>

#include "collector/ingest/cuda/cuda_numbers.hpp"
#include "collector/ingest/process_table.hpp"

namespace prof::ingest {

using report::ReportWriter;
using report::Value;

namespace {

std::string uuid_text(const std::uint8_t (&uuid)[16]) {
  std::string text;
  for (int i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += fmt::format("{:02x}", uuid[i]);
  }
  return text;
}

std::string location_text(const wire::CudaDeviceRecord& device) {
  return fmt::format("{:04x}:{:02x}:{:02x}.0", device.pci_domain, device.pci_bus,
                     device.pci_device);
}

auto place(const wire::CudaDeviceRecord& device) {
  return std::tuple(device.pci_domain, device.pci_bus, device.pci_device);
}

bool is_usable(const wire::CudaDeviceRecord& device) {
  return (device.header.flags & wire::kCudaDeviceUsable) != 0;
}

// Returns the name of the chip for architectures with a single chip, else an empty string.
const char* chip_name(const wire::CudaDeviceRecord& device) {
  switch (device.compute_major * 10 + device.compute_minor) {
    case 60:
      return "GP100";
    case 70:
      return "GV100";
    case 80:
      return "GA100";
    case 90:
      return "GH100";
    case 100:
      return "GB100";
    default:
      return "";
  }
}

// Returns the PCI revision of a device of this machine, or 0 if it cannot be read.
std::int64_t pci_revision(const std::string& location) {
  std::ifstream file("/sys/bus/pci/devices/" + location + "/revision");
  std::int64_t revision = 0;
  file >> std::hex >> revision;
  return file ? revision : 0;
}

}  // namespace

void write_cuda_context(ReportWriter& writer, std::int32_t pid,
                        const wire::CudaContextRecord& record) {
  writer.add(
      "TARGET_INFO_CUDA_CONTEXT_INFO",
      {std::int64_t{record.null_stream}, kHardware, kVirtualMachine, std::int64_t{pid},
       std::int64_t{record.device}, std::int64_t{record.header.aux}, std::int64_t{record.parent},
       std::int64_t{record.header.flags},
       record.multiprocessors == 0 ? Value(nullptr) : Value(std::int64_t{record.multiprocessors})});
}

// nsys writes the priority as an unsigned number.
void write_cuda_stream(ReportWriter& writer, std::int32_t pid,
                       const wire::CudaStreamRecord& record) {
  writer.add(
      "TARGET_INFO_CUDA_STREAM",
      {std::int64_t{record.header.aux}, kHardware, kVirtualMachine, std::int64_t{pid},
       std::int64_t{record.context}, std::int64_t{static_cast<std::uint32_t>(record.priority)},
       std::int64_t{record.header.flags}});
}

void GpuTable::add(std::uint32_t serial, std::int32_t pid, const wire::CudaDeviceRecord& record) {
  devices_.push_back({serial, pid, record});
}

// Removes devices that a process cannot use, if the driver reported usable ones.
void GpuTable::leave_out_hidden() {
  std::set<std::uint32_t> reported;
  for (const Device& device : devices_)
    if (is_usable(device.record)) reported.insert(device.serial);
  std::erase_if(devices_, [&](const Device& device) {
    return reported.contains(device.serial) && !is_usable(device.record);
  });
}

// Returns the GPUs by location. GPUs without a location keep the order in which processes reported
// them.
std::vector<Gpu> GpuTable::gpus_in_use() const {
  std::vector<Gpu> gpus;
  for (const Device& device : devices_) {
    const Gpu gpu{device.record, uuid_text(device.record.uuid), location_text(device.record)};
    const auto known = std::find_if(gpus.begin(), gpus.end(),
                                    [&](const Gpu& other) { return other.uuid == gpu.uuid; });
    if (known == gpus.end())
      gpus.push_back(gpu);
    else if (is_usable(gpu.record) && !is_usable(known->record))
      *known = gpu;
  }
  std::stable_sort(gpus.begin(), gpus.end(),
                   [](const Gpu& a, const Gpu& b) { return place(a.record) < place(b.record); });
  return gpus;
}

void GpuTable::write(const std::vector<std::string>& machine) {
  leave_out_hidden();
  std::vector<Gpu> gpus = gpus_in_use();
  std::map<std::string, std::int64_t> ranks;  // by location
  for (const std::string& location : machine)
    ranks.emplace(location, static_cast<std::int64_t>(ranks.size()));
  // Parts of a GPU (MIG) share its location.
  std::set<std::string> listed;
  for (const Gpu& gpu : gpus)
    if (ranks.contains(gpu.location)) listed.insert(gpu.location);
  const bool by_machine = listed.size() == gpus.size();
  std::map<std::string, std::int64_t> ids;  // by UUID
  for (Gpu& gpu : gpus) {
    const auto rank = static_cast<std::int64_t>(ids.size());
    gpu.id = by_machine ? ranks[gpu.location] : rank;
    gpu.name = strings_.text(gpu.record.name);
    gpu.chip = chip_name(gpu.record);
    gpu.revision = pci_revision(gpu.location);
    ids.emplace(gpu.uuid, gpu.id);
    write_gpu(gpu);
  }
  write_gpu_info(writer_, gpus);
  // Two images of a process, before and after an exec, can use the same device.
  std::set<std::tuple<std::int64_t, std::uint32_t, std::int32_t>> written;
  for (const Device& device : devices_) {
    const std::int64_t id = ids[uuid_text(device.record.uuid)];
    const std::uint32_t ordinal = device.record.header.aux;
    id_of_device_[{device.serial, ordinal}] = id;
    if (written.emplace(id, ordinal, device.pid).second)
      writer_.add("TARGET_INFO_CUDA_DEVICE", {id, std::int64_t{ordinal}, std::int64_t{device.pid}});
  }
}

std::optional<std::int64_t> GpuTable::id_of(std::uint32_t serial, std::uint32_t ordinal) const {
  const auto found = id_of_device_.find({serial, ordinal});
  return found == id_of_device_.end() ? std::nullopt : std::optional(found->second);
}

void GpuTable::write_gpu(const Gpu& gpu) {
  const wire::CudaDeviceRecord& d = gpu.record;
  const auto n = [](std::uint64_t value) { return Value(static_cast<std::int64_t>(value)); };
  writer_.add("TARGET_INFO_GPU",
              {kGlobalVid,
               gpu.id,
               std::string_view(gpu.name),
               std::string_view(gpu.location),
               n(d.integrated == 0 ? 1 : 0),
               n(d.l2_cache),
               n(d.memory),
               n(d.memory_bandwidth),
               n(d.clock),
               n(d.multiprocessors),
               Value(gpu.id),  // column pwGpuId
               std::string_view(gpu.uuid),
               n(0),
               gpu.chip.empty() ? Value(nullptr) : Value(std::string_view(gpu.chip)),
               Value(gpu.id),
               std::string_view(""),
               std::string_view(""),
               Value(gpu.revision),
               n(0),
               n(d.constant_memory),
               n(max_ipc(d)),
               n(d.max_registers_per_block),
               n(d.max_shared_per_block),
               n(d.max_shared_per_block_optin),
               n(d.max_shared_per_sm),
               n(d.max_registers_per_sm),
               n(d.warp_size),
               n(d.copy_engines),
               n(d.max_warps_per_sm),
               n(d.max_blocks_per_sm),
               n(d.max_threads_per_block),
               n(d.max_block[0]),
               n(d.max_block[1]),
               n(d.max_block[2]),
               n(d.max_grid[0]),
               n(d.max_grid[1]),
               n(d.max_grid[2]),
               n(d.compute_major),
               n(d.compute_minor),
               n(d.compute_major),
               n(d.compute_minor)});
}

}  // namespace prof::ingest
