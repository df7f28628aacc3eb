#include "exporters/analysis/operators/peaks.hpp"

#include <algorithm>
#include <initializer_list>

#include "common/base/letters.hpp"
#include "exporters/analysis/events/rows.hpp"

namespace prof::operators {

namespace {

// Operations of one multiprocessor in a clock cycle. 0: the type has no tensor cores.
struct Rates {
  int version;  // compute capability: 80 is 8.0
  double fp64, fp32, fp64_tensor, tf32, fp16, bf16, fp8, fp4, int8;
};
constexpr Rates kRates[] = {
    {60, 64, 128, 0, 0, 0, 0, 0, 0, 0},
    {70, 64, 128, 0, 0, 1024, 0, 0, 0, 0},
    {75, 4, 128, 0, 0, 1024, 0, 0, 0, 2048},
    {80, 64, 128, 128, 1024, 2048, 2048, 0, 0, 4096},
    {86, 4, 256, 0, 512, 1024, 1024, 0, 0, 2048},
    {87, 4, 256, 0, 512, 1024, 1024, 0, 0, 2048},
    {89, 4, 256, 0, 512, 1024, 1024, 2048, 0, 2048},
    {90, 128, 256, 256, 2048, 4096, 4096, 8192, 0, 8192},
    {100, 128, 256, 256, 4096, 8192, 8192, 16384, 32768, 16384},
    {120, 4, 256, 0, 512, 1024, 1024, 2048, 4096, 2048},
};
// GeForce GPUs add FP16 products in FP32 at half the rate of others of their compute capability.
constexpr int kSlowOnGeForce[] = {75, 86, 89, 120};

// Clocks in Hz with which data sheets state the rates of tensor cores, where GPUs may run faster.
struct SheetClock {
  const char* word;  // in the name, in lower case; the first one that fits counts
  double clock;
};
constexpr SheetClock kSheetClocks[] = {
    {"h100 pcie", 1.620e9}, {"h100 nvl", 1.785e9}, {"h100", 1.830e9}, {"h200", 1.830e9},
    {"gh200", 1.830e9},     {"b200", 1.856e9},     {"l40s", 2.490e9},
};

const Rates* rates_of(const GpuFacts& gpu) {
  const int version = gpu.major * 10 + gpu.minor;
  const Rates* found = nullptr;
  for (const Rates& each : kRates)
    if (each.version / 10 == gpu.major && each.version <= version) found = &each;
  return found;
}

bool is_geforce(const GpuFacts& gpu) {
  return base::to_lower(gpu.name).find("geforce") != std::string::npos;
}

double tensor_clock(const GpuFacts& gpu) {
  const std::string name = base::to_lower(gpu.name);
  for (const SheetClock& sheet : kSheetClocks)
    if (name.find(sheet.word) != std::string::npos)
      return gpu.clock > 0 ? std::min(gpu.clock, sheet.clock) : sheet.clock;
  return gpu.clock;
}

}  // namespace

Peaks peaks_of(const GpuFacts& gpu) {
  Peaks peaks{.memory = gpu.memory_bandwidth};
  const Rates* rates = rates_of(gpu);
  if (rates == nullptr) return peaks;
  const auto sms = static_cast<double>(gpu.multiprocessors);
  const double tensor = sms * tensor_clock(gpu);
  peaks.vector_fp32 = sms * gpu.clock * rates->fp32;
  peaks.vector_fp64 = sms * gpu.clock * rates->fp64;
  const bool is_slow = is_geforce(gpu) && std::ranges::find(kSlowOnGeForce, rates->version) !=
                                              std::end(kSlowOnGeForce);
  const double factor = is_slow ? 0.5 : 1;
  const auto set = [&](ElementType type, double rate, double otherwise) {
    peaks.matrix[static_cast<std::size_t>(type)] = rate > 0 ? tensor * rate : otherwise;
  };
  set(ElementType::kFp64, rates->fp64_tensor, peaks.vector_fp64);
  set(ElementType::kFp32, 0, peaks.vector_fp32);
  set(ElementType::kTf32, factor * rates->tf32, 0);
  set(ElementType::kFp16, factor * rates->fp16, peaks.vector_fp32);
  set(ElementType::kBf16, factor * rates->bf16, peaks.vector_fp32);
  set(ElementType::kFp8, factor * rates->fp8, 0);
  set(ElementType::kFp4, rates->fp4, 0);
  set(ElementType::kInt8, rates->int8, 0);
  return peaks;
}

bool has_tensor_cores(const GpuFacts& gpu, ElementType type) {
  const Rates* rates = rates_of(gpu);
  if (rates == nullptr) return false;
  switch (type) {
    case ElementType::kFp64:
      return rates->fp64_tensor > 0;
    case ElementType::kFp32:
    case ElementType::kTf32:
      return rates->tf32 > 0;
    case ElementType::kBf16:
      return rates->bf16 > 0;
    case ElementType::kFp16:
      return rates->fp16 > 0;
    case ElementType::kFp8:
      return rates->fp8 > 0;
    case ElementType::kFp4:
      return rates->fp4 > 0;
    case ElementType::kInt8:
      return rates->int8 > 0;
    default:
      return false;
  }
}

base::Result<GpuTable> GpuTable::read(const report::ReportReader& reader) {
  constexpr const char* kGpuTable = "TARGET_INFO_GPU";
  constexpr const char* kDeviceTable = "TARGET_INFO_CUDA_DEVICE";
  GpuTable table;
  const auto needed = {"computeMajor", "computeMinor", "smCount"};
  if (!std::all_of(needed.begin(), needed.end(),
                   [&](const char* column) { return reader.has_column(kGpuTable, column); }))
    return table;
  const auto optional = [&](const char* column) {
    return reader.has_column(kGpuTable, column) ? std::string("g.") + column : "NULL";
  };
  const std::string facts = ", g.computeMajor, g.computeMinor, g.smCount, " + optional("name") +
                            ", " + optional("clockRate") + ", " + optional("memoryBandwidth") +
                            " FROM TARGET_INFO_GPU AS g";
  const auto facts_at = [](const report::Statement& row, int column) {
    return GpuFacts{.name = std::string(row.text(column + 3)),
                    .major = static_cast<int>(row.integer(column)),
                    .minor = static_cast<int>(row.integer(column + 1)),
                    .multiprocessors = row.integer(column + 2),
                    .clock = static_cast<double>(row.integer(column + 4)),
                    .memory_bandwidth = static_cast<double>(row.integer(column + 5))};
  };
  base::Status read;
  if (reader.has_table(kDeviceTable))
    read = events::for_each_row(
        reader,
        "SELECT d.pid, d.cudaId" + facts + " JOIN TARGET_INFO_CUDA_DEVICE AS d ON g.id = d.gpuId",
        [&](const report::Statement& row) {
          table.by_process_.try_emplace({row.integer(0), row.integer(1)}, facts_at(row, 2));
        });
  // Exports from before 2025 lack the table of the devices that a process sees.
  if (read && reader.has_column(kGpuTable, "cuDevice"))
    read =
        events::for_each_row(reader, "SELECT g.cuDevice" + facts + " WHERE g.cuDevice IS NOT NULL",
                             [&](const report::Statement& row) {
                               table.by_number_.try_emplace(row.integer(0), facts_at(row, 1));
                             });
  if (!read) return tl::make_unexpected(read.error());
  return table;
}

const GpuFacts* GpuTable::of(std::int64_t pid, std::int64_t device) const {
  if (const auto own = by_process_.find({pid, device}); own != by_process_.end())
    return &own->second;
  const auto any = by_number_.find(device);
  return any == by_number_.end() ? nullptr : &any->second;
}

}  // namespace prof::operators
