#include "collector/ingest/cuda/gpu_info.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "collector/ingest/process_table.hpp"

namespace prof::ingest {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t kCudaDriverVersion = 611;
constexpr std::int64_t kGpuInfo = 897;

Json describe(const Gpu& gpu) {
  const wire::CudaDeviceRecord& d = gpu.record;
  Json facts = {{"Id", gpu.id},
                {"Name", gpu.name},
                {"BusLocation", gpu.location},
                {"IsDiscrete", d.integrated == 0},
                {"Uuid", gpu.uuid}};
  if (!gpu.chip.empty()) facts["ChipName"] = gpu.chip;
  const Json more = {{"PwGpuId", gpu.id},
                     {"L2CacheSize", d.l2_cache},
                     // Nsys writes the numbers as texts, too.
                     {"TotalMemory", std::to_string(d.memory)},
                     {"MemoryBandwidth", std::to_string(d.memory_bandwidth)},
                     {"ClockRate", d.clock},
                     {"SmCount", d.multiprocessors},
                     {"CuDevice", d.header.aux},
                     {"Revision", gpu.revision},
                     {"ConstantMemory", d.constant_memory},
                     {"MaxIPC", max_ipc(d)},
                     {"MaxRegistersPerBlock", d.max_registers_per_block},
                     {"MaxShmemPerBlock", d.max_shared_per_block},
                     {"MaxShmemPerBlockOptin", d.max_shared_per_block_optin},
                     {"MaxShmemPerSm", d.max_shared_per_sm},
                     {"MaxRegistersPerSm", d.max_registers_per_sm},
                     {"ThreadsPerWarp", d.warp_size},
                     {"AsyncEngines", d.copy_engines},
                     {"MaxWarpsPerSm", d.max_warps_per_sm},
                     {"MaxBlocksPerSm", d.max_blocks_per_sm},
                     {"MaxThreadsPerBlock", d.max_threads_per_block},
                     {"MaxBlockDimX", d.max_block[0]},
                     {"MaxBlockDimY", d.max_block[1]},
                     {"MaxBlockDimZ", d.max_block[2]},
                     {"MaxGridDimX", d.max_grid[0]},
                     {"MaxGridDimY", d.max_grid[1]},
                     {"MaxGridDimZ", d.max_grid[2]},
                     {"ComputeMajor", d.compute_major},
                     {"ComputeMinor", d.compute_minor},
                     {"SmMajor", d.compute_major},
                     {"SmMinor", d.compute_minor}};
  facts.update(more);
  return facts;
}

}  // namespace

void write_gpu_info(report::ReportWriter& writer, std::span<const Gpu> gpus) {
  if (gpus.empty()) return;
  const auto add = [&](const char* name, std::int64_t number, const std::string& value) {
    writer.add("TARGET_INFO_SYSTEM_ENV", {kGlobalVid, std::string_view("Local (CLI)"),
                                          std::string_view(name), number, std::string_view(value)});
  };
  std::uint64_t driver = 0;
  Json all = Json::array();
  for (const Gpu& gpu : gpus) {
    driver = std::max(driver, gpu.record.driver_version);
    all.push_back(describe(gpu));
  }
  if (driver != 0) add("CudaDriverVersion", kCudaDriverVersion, std::to_string(driver));
  add("GpuInfo", kGpuInfo,
      Json{{"Gpus", all}}.dump(-1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace prof::ingest
