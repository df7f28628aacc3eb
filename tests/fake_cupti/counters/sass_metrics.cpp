// SASS metrics of libcupti.so.13 without a GPU. It is as strict as CUPTI about the order of calls.
#include "sass_metrics.hpp"

#include <cupti_sass_metrics.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "fake_state.hpp"

using fake::fails;
using fake::misbehaviour;

#define FAILS_IF_ASKED \
  if (fails(__func__)) return misbehaviour().result

namespace {

// How often a warp counts at each instruction.
struct SassMetric {
  const char* name;
  std::uint64_t of_warp[4];
};
constexpr SassMetric kSassMetrics[] = {
    {"smsp__sass_inst_executed", {1, 1, 1, 1}},
    {"smsp__sass_thread_inst_executed", {32, 32, 32, 32}},
    {"smsp__sass_thread_inst_executed_pred_on", {32, 32, 32, 16}},
    {"smsp__sass_branch_targets_threads_divergent", {0, 0, 0, 1}},
    {"smsp__sass_branch_targets_threads_uniform", {0, 0, 0, 0}},
    {"smsp__sass_l1tex_tags_mem_global", {0, 32, 0, 0}},
    {"smsp__sass_sectors_mem_global", {0, 32, 0, 0}},
    {"smsp__sass_sectors_mem_global_ideal", {0, 4, 0, 0}},
    {"smsp__sass_sectors_mem_local", {0, 0, 0, 0}},
    {"smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared", {0, 0, 32, 0}},
    {"smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared_ideal", {0, 0, 1, 0}},
    {"smsp__sass_inst_executed_op_atom", {0, 0, 0, 0}},
};
constexpr std::uint64_t kFirstId = 0x5a55'0000'0000'0001;
constexpr std::size_t kInstructions = 4;
constexpr std::uint32_t kInstructionBytes = 16;

struct Counted {
  std::string name;
  std::uint32_t cubin;
  std::uint64_t warps;
};

std::mutex g_lock;
std::vector<std::uint64_t> g_config;  // ids of metrics; empty: not set
bool g_is_enabled = false;
std::vector<Counted> g_counted;
std::atomic<std::uint64_t> g_cubin;
std::atomic<bool> g_is_profiler_initialized;

// A metric of an instruction.
struct Item {
  const Counted* kernel;
  std::size_t instruction;
  std::uint64_t metric;
  std::uint64_t value;
};

// As CUPTI orders them: by kernel and metric. Metrics that an instruction cannot have are left out.
std::vector<Item> items() {
  std::vector<Item> all;
  for (const Counted& kernel : g_counted)
    for (const std::uint64_t metric : g_config)
      for (std::size_t i = 0; i < kInstructions; ++i)
        if (const std::uint64_t value = kSassMetrics[metric - kFirstId].of_warp[i]; value != 0)
          all.push_back({&kernel, i, metric, value * kernel.warps});
  return all;
}

// The names stay, as the client keeps pointers to them.
const char* lasting_name(const std::string& name) {
  static auto& names = *new std::set<std::string>;
  return names.insert(name).first->c_str();
}

}  // namespace

namespace fake {

void count_instructions(const std::string& kernel, std::uint64_t cubin, std::uint64_t warps) {
  const std::lock_guard lock(g_lock);
  if (g_is_enabled) g_counted.push_back({kernel, static_cast<std::uint32_t>(cubin), warps});
}

void set_code_of_kernels(std::uint64_t cubin) { g_cubin = cubin; }
std::uint64_t code_of_kernels() { return g_cubin; }

void set_profiler_initialized() { g_is_profiler_initialized = true; }

bool is_code_original() {
  const std::lock_guard lock(g_lock);
  return !g_is_enabled;
}

}  // namespace fake

extern "C" {

CUptiResult cuptiSassMetricsGetProperties(CUpti_SassMetrics_GetProperties_Params* parameters) {
  FAILS_IF_ASKED;
  if (!g_is_profiler_initialized) std::abort();  // as CUDA 13.0 does
  const auto* found = std::ranges::find_if(kSassMetrics, [&](const SassMetric& each) {
    return std::strcmp(each.name, parameters->pMetricName) == 0;
  });
  if (found == std::end(kSassMetrics)) return CUPTI_ERROR_INVALID_PARAMETER;
  parameters->metric = {kFirstId + static_cast<std::uint64_t>(found - kSassMetrics), found->name,
                        "what the fake counts"};
  return CUPTI_SUCCESS;
}

CUptiResult cuptiSassMetricsSetConfig(CUpti_SassMetricsSetConfig_Params* parameters) {
  FAILS_IF_ASKED;
  const std::lock_guard lock(g_lock);
  if (!g_config.empty()) return CUPTI_ERROR_INVALID_OPERATION;
  for (std::size_t i = 0; i < parameters->numOfMetricConfig; ++i)
    g_config.push_back(parameters->pConfigs[i].metricId);
  return g_config.empty() ? CUPTI_ERROR_INVALID_PARAMETER : CUPTI_SUCCESS;
}

CUptiResult cuptiSassMetricsEnable(CUpti_SassMetricsEnable_Params*) {
  FAILS_IF_ASKED;
  const std::lock_guard lock(g_lock);
  if (g_config.empty() || g_is_enabled) return CUPTI_ERROR_INVALID_OPERATION;
  g_is_enabled = true;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiSassMetricsDisable(CUpti_SassMetricsDisable_Params* parameters) {
  const std::lock_guard lock(g_lock);
  if (!g_is_enabled) return CUPTI_ERROR_INVALID_OPERATION;
  g_is_enabled = false;
  parameters->numOfDroppedRecords = items().size();
  g_counted.clear();
  return fails(__func__) ? misbehaviour().result : CUPTI_SUCCESS;
}

CUptiResult cuptiSassMetricsGetDataProperties(
    CUpti_SassMetricsGetDataProperties_Params* parameters) {
  FAILS_IF_ASKED;
  const std::lock_guard lock(g_lock);
  if (!g_is_enabled) return CUPTI_ERROR_INVALID_OPERATION;
  parameters->numOfPatchedInstructionRecords = fails("no instructions") ? 0 : items().size();
  parameters->numOfInstances = 1;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiSassMetricsFlushData(CUpti_SassMetricsFlushData_Params* parameters) {
  FAILS_IF_ASKED;
  const std::lock_guard lock(g_lock);
  if (!g_is_enabled) return CUPTI_ERROR_INVALID_OPERATION;
  const std::vector<Item> all = items();
  const std::size_t number = parameters->numOfPatchedInstructionRecords;
  if (number == 0 || number > all.size()) return CUPTI_ERROR_INVALID_PARAMETER;
  for (std::size_t i = 0; i < number; ++i) {
    CUpti_SassMetrics_Data& to = parameters->pMetricsData[i];
    if (to.structSize != sizeof to) return CUPTI_ERROR_INVALID_PARAMETER;
    to.cubinCrc = all[i].kernel->cubin;
    to.functionName = lasting_name(all[i].kernel->name);
    to.pcOffset = static_cast<std::uint32_t>(all[i].instruction) * kInstructionBytes;
    to.pInstanceValues[0] = {all[i].metric, all[i].value};
  }
  g_counted.clear();
  return CUPTI_SUCCESS;
}

}  // extern "C"
