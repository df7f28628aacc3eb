#include "collector/ingest/gpu_tables.hpp"

#include <fmt/format.h>

#include <fstream>

#include "collector/ingest/process_table.hpp"

namespace prof::ingest {

using report::ReportWriter;
using report::Value;

namespace {

constexpr std::int64_t kHardware = 0;
constexpr std::int64_t kVirtualMachine = 1;
constexpr std::uint32_t kUnknownIpc = 0xffffffff;

std::string uuid_text(const std::uint8_t (&uuid)[16]) {
  std::string text;
  for (int i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += fmt::format("{:02x}", uuid[i]);
  }
  return text;
}

// Of the architectures that have a single chip.
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
      return nullptr;
  }
}

// PCI revision of a device of this machine; 0 where it cannot be read.
std::int64_t pci_revision(const std::string& location) {
  std::ifstream file("/sys/bus/pci/devices/" + location + "/revision");
  std::int64_t revision = 0;
  file >> std::hex >> revision;
  return file ? revision : 0;
}

}  // namespace

void write_cuda_context(ReportWriter& writer, std::int32_t pid,
                        const wire::CudaContextRecord& record) {
  writer.add("TARGET_INFO_CUDA_CONTEXT_INFO",
             {std::int64_t{record.null_stream}, kHardware, kVirtualMachine, std::int64_t{pid},
              std::int64_t{record.device}, std::int64_t{record.header.aux},
              std::int64_t{record.parent}, std::int64_t{record.header.flags}});
}

// nsys keeps the priority as an unsigned number.
void write_cuda_stream(ReportWriter& writer, std::int32_t pid,
                       const wire::CudaStreamRecord& record) {
  writer.add(
      "TARGET_INFO_CUDA_STREAM",
      {std::int64_t{record.header.aux}, kHardware, kVirtualMachine, std::int64_t{pid},
       std::int64_t{record.context}, std::int64_t{static_cast<std::uint32_t>(record.priority)},
       std::int64_t{record.header.flags}});
}

void GpuTable::add(std::int32_t pid, const wire::CudaDeviceRecord& record) {
  const std::string uuid = uuid_text(record.uuid);
  const auto [known, is_new] = ids_.try_emplace(uuid, static_cast<std::int64_t>(ids_.size()));
  if (is_new) write_gpu(known->second, uuid, record);
  writer_.add("TARGET_INFO_CUDA_DEVICE",
              {known->second, std::int64_t{record.header.aux}, std::int64_t{pid}});
}

void GpuTable::write_gpu(std::int64_t id, const std::string& uuid,
                         const wire::CudaDeviceRecord& d) {
  const auto n = [](std::uint64_t value) { return Value(static_cast<std::int64_t>(value)); };
  const std::string location =
      fmt::format("{:04x}:{:02x}:{:02x}.0", d.pci_domain, d.pci_bus, d.pci_device);
  const char* chip = chip_name(d);
  writer_.add("TARGET_INFO_GPU", {kGlobalVid,
                                  id,
                                  strings_.text(d.name),
                                  std::string_view(location),
                                  n(d.integrated == 0 ? 1 : 0),
                                  n(d.l2_cache),
                                  n(d.memory),
                                  n(d.memory_bandwidth),
                                  n(d.clock),
                                  n(d.multiprocessors),
                                  n(0),
                                  std::string_view(uuid),
                                  n(0),
                                  chip == nullptr ? Value(nullptr) : Value(std::string_view(chip)),
                                  n(d.header.aux),
                                  std::string_view(""),
                                  std::string_view(""),
                                  Value(pci_revision(location)),
                                  n(0),
                                  n(d.constant_memory),
                                  n(d.max_ipc == kUnknownIpc ? 0 : d.max_ipc),
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
