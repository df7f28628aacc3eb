#include "exporters/analysis/insight/profiles/roofline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

namespace prof::insight {

namespace {

// Operations of the ordinary cores. An instruction works on one or two values of a thread.
struct Vector {
  const char* precision;
  char type;
  int values;
};
constexpr Vector kVectors[] = {{"FP64", 'd', 1}, {"FP32", 'f', 1}, {"FP16", 'h', 2}};

struct Tensor {
  const char* precision;
  const char* type;  // in names of metrics
  // The peak of a metric without "sparsity" in its name is that of sparse matrices: twice as high.
  double dense_part;
};
constexpr Tensor kTensors[] = {{"FP64 tensor", "src_fp64", 1},
                               {"TF32 tensor", "src_tf32_dst_fp32", 0.5},
                               {"FP16 tensor", "src_fp16", 0.5},
                               {"BF16 tensor", "src_bf16_dst_fp32", 0.5},
                               {"FP8 tensor", "src_fp8_sparsity_off", 1},
                               {"INT8 tensor", "src_int8", 0.5}};

// Returns the rate of a count: measured as such, or with the kernel's duration.
std::optional<double> rate_of(const MetricValues& metrics, const std::string& count) {
  if (const auto rate = metrics.find(count + ".sum.per_second")) return rate;
  const auto sum = metrics.find(count + ".sum");
  const auto duration = metrics.find("gpu__time_duration.sum");  // ns
  if (!sum || !duration || *duration <= 0) return std::nullopt;
  return *sum / (*duration / 1e9);
}

std::optional<double> clock_of(const MetricValues& metrics, const char* unit) {
  return metrics.find(fmt::format("{}__cycles_elapsed.avg.per_second", unit));
}

void add_vectors(const MetricValues& metrics, std::vector<ComputeRoof>& roofs) {
  // The clock of a multiprocessor and of its parts is the same.
  auto clock = clock_of(metrics, "smsp");
  if (!clock) clock = clock_of(metrics, "sm");
  if (!clock) return;
  for (const Vector& each : kVectors) {
    const auto in_cycle = [&](const char* operation) {
      return metrics.find(
          fmt::format("smsp__sass_thread_inst_executed_op_{}{}_pred_on.sum.per_cycle_elapsed",
                      each.type, operation));
    };
    const auto fused = in_cycle("fma");
    const auto peak = metrics.find(fmt::format(
        "sm__sass_thread_inst_executed_op_{}fma_pred_on.sum.peak_sustained", each.type));
    if (!fused || !peak) continue;
    const double others = in_cycle("add").value_or(0) + in_cycle("mul").value_or(0);
    roofs.push_back({each.precision, (others + 2 * *fused) * each.values * *clock,
                     2 * *peak * each.values * *clock});
  }
}

void add_tensors(const MetricValues& metrics, std::vector<ComputeRoof>& roofs) {
  auto clock = clock_of(metrics, "sm");
  if (!clock) clock = clock_of(metrics, "smsp");
  if (!clock) return;
  for (const Tensor& each : kTensors) {
    const std::string name = fmt::format("sm__ops_path_tensor_{}", each.type);
    const auto rate = rate_of(metrics, name);
    const double peak = metrics.or_zero(name + ".sum.peak_sustained");
    if (rate) roofs.push_back({each.precision, *rate, each.dense_part * peak * *clock});
  }
}

// Bytes of a level: those of a metric, or a number of cycles with bytes.
struct Traffic {
  const char* level;
  const char* bytes;
  const char* cycles;
  double bytes_in_cycle;
  const char* clock;
};
constexpr Traffic kTraffic[] = {
    {"DRAM", "dram__bytes", "", 0, "dram"},
    {"L2", "derived__lts__lts2xbar_bytes", "lts__lts2xbar_cycles_active", 32, "lts"},
    {"L1", "derived__l1tex__lsu_writeback_bytes_mem_lgds", "l1tex__lsu_writeback_active_mem_lgds",
     128, "l1tex"}};

void add_memory(const MetricValues& metrics, std::vector<MemoryRoof>& roofs) {
  for (const Traffic& each : kTraffic) {
    double factor = 1;
    std::string name = each.bytes;
    auto rate = rate_of(metrics, name);
    if (!rate && *each.cycles != '\0') {
      factor = each.bytes_in_cycle;
      name = each.cycles;
      rate = rate_of(metrics, name);
    }
    if (!rate) continue;
    auto clock = clock_of(metrics, each.clock);
    // L1 has the clock of the multiprocessors.
    if (!clock && each.level == std::string_view("L1")) clock = clock_of(metrics, "smsp");
    const auto peak = metrics.find(name + ".sum.peak_sustained");
    MemoryRoof roof{each.level, factor * *rate};
    if (peak && clock) roof.peak = factor * *peak * *clock;
    roofs.push_back(roof);
  }
}

}  // namespace

Roofline roofline_of(const MetricValues& metrics) {
  Roofline roofline;
  add_vectors(metrics, roofline.compute);
  add_tensors(metrics, roofline.compute);
  add_memory(metrics, roofline.memory);
  return roofline;
}

std::optional<double> intensity(const ComputeRoof& compute, const MemoryRoof& memory) {
  if (memory.achieved <= 0) return std::nullopt;
  return compute.achieved / memory.achieved;
}

std::optional<double> attainable(const ComputeRoof& compute, const MemoryRoof& memory) {
  const auto slope = intensity(compute, memory);
  if (!slope || !memory.peak) return std::nullopt;
  const double by_memory = *slope * *memory.peak;
  return compute.peak > 0 ? std::min(compute.peak, by_memory) : by_memory;
}

}  // namespace prof::insight
