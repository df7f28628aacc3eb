#include "injection/cuda/kernels/sass/sass_counter.hpp"

#include <cstring>

#include "injection/core/layout.hpp"
#include "injection/core/record/record_writer.hpp"
#include "injection/core/record/strings.hpp"
#include "injection/core/syscalls.hpp"
#include "injection/cuda/kernels/profiler.hpp"
#include "injection/cuda/pc_sampling/pc_sampling.hpp"
#include "injection/cuda/state.hpp"

namespace prof::cuda::kernels {

namespace {

using wire::KernelProfileReason;

constexpr std::size_t kMaxSassPlans = 32;
PROF_SELDOM constinit SassPlan g_sass_plans[kMaxSassPlans]{};

// What CUPTI has counted in the last launch: an item for each metric of an instruction, then the
// values of the items.
struct Counts {
  CUpti_SassMetrics_Data* items;
  std::size_t number;
  std::size_t values;  // of an item
  std::size_t bytes;
};
Counts g_counts;

// CUPTI's units are not those of the range profiler, which has them in words.
const char* unit_of(const char* metric) {
  constexpr const char* kUnits[][2] = {{"sectors", "l2_sector"},
                                       {"wavefronts", "wavefront"},
                                       {"tags", "l1tex_tag"},
                                       {"branch_targets", "branch_target"}};
  for (const auto& [word, unit] : kUnits)
    if (std::strstr(metric, word) != nullptr) return unit;
  return "instruction";
}

void send_name(const SassPlan& made, std::size_t i, const char* name, const char* description) {
  core::append(wire::KernelMetricNameRecord{
      core::header_of<wire::KernelMetricNameRecord>(wire::RecordType::kKernelMetricName),
      made.hashes[i], core::intern(unit_of(name)), core::intern(description), made.chip});
}

Failure make_plan(const Plan& plan, std::uint32_t device, SassPlan& made) {
  if (Failure failure = initialize_profiler()) return failure;
  PROF_RANGE_PARAMETERS(CUpti_Device_GetChipName, chip);
  chip.deviceIndex = device;
  PROF_RANGE_CALL(cuptiDeviceGetChipName, chip);
  made.chip = core::intern(chip.pChipName);
  for (std::size_t i = 0; i < plan.num_sass_metrics; ++i) {
    PROF_RANGE_PARAMETERS(CUpti_SassMetrics_GetProperties, properties);
    properties.pChipName = chip.pChipName;
    properties.pMetricName = plan.sass_metrics[i];
    // Chips differ, so an unknown metric is left out.
    if (g_range.cuptiSassMetricsGetProperties(&properties) != CUPTI_SUCCESS) continue;
    made.configs[made.num_metrics] = {properties.metric.metricId,
                                      CUPTI_SASS_METRICS_OUTPUT_GRANULARITY_GPU};
    made.hashes[made.num_metrics] = core::intern(plan.sass_metrics[i]);
    send_name(made, made.num_metrics++, plan.sass_metrics[i], properties.metric.pMetricDescription);
  }
  if (made.num_metrics == 0) return {KernelProfileReason::kNoMetrics};
  return {};
}

// CUPTI 13.0 refuses a second configuration of a GPU, even after cuptiSassMetricsUnsetConfig. So it
// stays.
Failure configure_once(std::uint32_t device, SassPlan& made) {
  if (made.is_configured) return {};
  PROF_RANGE_PARAMETERS(CUpti_SassMetricsSetConfig, config);
  config.numOfMetricConfig = made.num_metrics;
  config.pConfigs = made.configs;
  config.deviceIndex = device;
  PROF_RANGE_CALL(cuptiSassMetricsSetConfig, config);
  made.is_configured = true;
  return {};
}

Failure enable_patching(CUcontext context) {
  PROF_RANGE_PARAMETERS(CUpti_SassMetricsEnable, parameters);
  parameters.ctx = context;
  parameters.enableLazyPatching = 1;  // only what runs
  PROF_RANGE_CALL(cuptiSassMetricsEnable, parameters);
  return {};
}

Failure disable_patching(CUcontext context) {
  PROF_RANGE_PARAMETERS(CUpti_SassMetricsDisable, parameters);
  parameters.ctx = context;
  PROF_RANGE_CALL(cuptiSassMetricsDisable, parameters);
  return {};
}

void drop_counts() {
  if (g_counts.items != nullptr) core::sys::munmap(g_counts.items, g_counts.bytes);
  g_counts = {};
}

// Makes memory for `number` items. All values are 0 at first.
bool make_counts(std::size_t number, std::size_t values) {
  const std::size_t each =
      sizeof(CUpti_SassMetrics_Data) + values * sizeof(CUpti_SassMetrics_InstanceValue);
  const std::size_t bytes = number * each;
  void* memory = core::sys::mmap(bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
  if (core::sys::failed(memory)) return false;
  auto* items = static_cast<CUpti_SassMetrics_Data*>(memory);
  auto* value = reinterpret_cast<CUpti_SassMetrics_InstanceValue*>(items + number);
  for (std::size_t i = 0; i < number; ++i, value += values) {
    items[i].structSize = sizeof(CUpti_SassMetrics_Data);
    items[i].pInstanceValues = value;
  }
  g_counts = {items, number, values, bytes};
  return true;
}

Failure read_counts(CUcontext context) {
  PROF_RANGE_PARAMETERS(CUpti_SassMetricsGetDataProperties, properties);
  properties.ctx = context;
  PROF_RANGE_CALL(cuptiSassMetricsGetDataProperties, properties);
  if (properties.numOfPatchedInstructionRecords == 0) return {KernelProfileReason::kNoInstructions};
  const std::size_t values = properties.numOfInstances == 0 ? 1 : properties.numOfInstances;
  if (!make_counts(properties.numOfPatchedInstructionRecords, values))
    return {KernelProfileReason::kNone, RangeFunction::k_cuptiSassMetricsGetDataProperties,
            CUPTI_ERROR_OUT_OF_MEMORY};
  PROF_RANGE_PARAMETERS(CUpti_SassMetricsFlushData, flush);
  flush.ctx = context;
  flush.numOfPatchedInstructionRecords = g_counts.number;
  flush.numOfInstances = properties.numOfInstances;
  flush.pMetricsData = g_counts.items;
  PROF_RANGE_CALL(cuptiSassMetricsFlushData, flush);
  return {};
}

// Returns the index of a metric, or num_metrics.
std::size_t index_of(const SassPlan& made, std::uint64_t id) {
  std::size_t i = 0;
  while (i < made.num_metrics && made.configs[i].metricId != id) ++i;
  return i;
}

bool is_same_instruction(const CUpti_SassMetrics_Data& a, const CUpti_SassMetrics_Data& b) {
  return a.cubinCrc == b.cubinCrc && a.functionIndex == b.functionIndex && a.pcOffset == b.pcOffset;
}

bool is_before(const CUpti_SassMetrics_Data& a, const CUpti_SassMetrics_Data& b) {
  if (a.cubinCrc != b.cubinCrc) return a.cubinCrc < b.cubinCrc;
  if (a.functionIndex != b.functionIndex) return a.functionIndex < b.functionIndex;
  return a.pcOffset < b.pcOffset;
}

// CUPTI returns an item for each metric of an instruction, by metric. This is a Shell sort, as
// std::sort would bring parts of the C++ library.
void sort_by_instruction() {
  CUpti_SassMetrics_Data* const items = g_counts.items;
  for (std::size_t gap = g_counts.number / 2; gap != 0; gap /= 2) {
    for (std::size_t i = gap; i < g_counts.number; ++i) {
      const CUpti_SassMetrics_Data moved = items[i];
      std::size_t at = i;
      for (; at >= gap && is_before(moved, items[at - gap]); at -= gap) items[at] = items[at - gap];
      items[at] = moved;
    }
  }
}

// Writes the instruction whose items begin at `first`. Returns where those of the next one begin.
std::size_t write_counted(const SassPlan& made, std::size_t first) {
  const CUpti_SassMetrics_Data* items = g_counts.items;
  std::uint64_t sums[kMaxSassMetrics]{};
  std::size_t i = first;
  for (; i < g_counts.number && is_same_instruction(items[i], items[first]); ++i) {
    for (std::size_t j = 0; j < g_counts.values; ++j) {
      const CUpti_SassMetrics_InstanceValue& value = items[i].pInstanceValues[j];
      const std::size_t metric = index_of(made, value.metricId);
      if (metric != made.num_metrics) sums[metric] += value.value;
    }
  }
  wire::KernelCount counts[kMaxSassMetrics];
  std::uint32_t used = 0;
  for (std::size_t metric = 0; metric < made.num_metrics; ++metric)
    if (sums[metric] != 0) counts[used++] = {made.hashes[metric], sums[metric]};
  if (used != 0)
    pc::append_instruction<wire::KernelInstructionRecord>(wire::RecordType::kKernelInstruction,
                                                          items[first], counts, used);
  return i;
}

}  // namespace

SassPlan* sass_plan_for(const Plan& plan, std::uint32_t device) {
  if (device >= kMaxSassPlans) return nullptr;
  SassPlan& made = g_sass_plans[device];
  if (!made.is_made) {
    made.is_made = true;
    made.failure = make_plan(plan, device, made);
  }
  return &made;
}

Failure start_sass_counts(std::uint32_t device, CUcontext context, SassPlan& made) {
  if (!made.failure) made.failure = configure_once(device, made);
  if (!made.failure) made.failure = enable_patching(context);
  return made.failure;
}

Failure stop_sass_counts(CUcontext context) {
  drop_counts();
  Failure failure = read_counts(context);
  if (const Failure later = disable_patching(context); !failure) failure = later;
  if (failure) drop_counts();
  return failure;
}

void write_sass_counts(const SassPlan& made) {
  sort_by_instruction();
  for (std::size_t i = 0; i < g_counts.number;) i = write_counted(made, i);
  drop_counts();
  constexpr int kTries = 20;  // of some 50 ms each
  for (int i = 0; i < kTries && !pc::send_cubins(); ++i) {
  }
}

void watch_code(const Plan& plan) {
  if (plan.num_sass_metrics == 0) return;
  g_cupti.cuptiEnableCallback(1, g_state.subscriber, CUPTI_CB_DOMAIN_RESOURCE,
                              CUPTI_CBID_RESOURCE_MODULE_LOADED);
}

}  // namespace prof::cuda::kernels
