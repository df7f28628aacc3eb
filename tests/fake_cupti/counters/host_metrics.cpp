// Lists of chips and metrics of libcupti.so.13, for prof kernel's options.
#include <cupti_profiler_host.h>

#include <iterator>

namespace {

const char* g_chips[] = {"GH100"};
const char* g_counters[] = {"dram__bytes", "gpu__time_duration", "sm__cycles_active",
                            "smsp__inst_executed"};
const char* g_ratios[] = {"l1tex__t_sector_hit_rate", "lts__t_sector_hit_rate"};
const char* g_throughputs[] = {"sm__throughput"};

template <std::size_t n>
void answer(CUpti_Profiler_Host_GetBaseMetrics_Params& parameters, const char* (&names)[n]) {
  parameters.ppMetricNames = names;
  parameters.numMetrics = n;
}

}  // namespace

extern "C" {

CUptiResult cuptiProfilerHostGetSupportedChips(
    CUpti_Profiler_Host_GetSupportedChips_Params* parameters) {
  parameters->ppChipNames = g_chips;
  parameters->numChips = std::size(g_chips);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostGetBaseMetrics(CUpti_Profiler_Host_GetBaseMetrics_Params* parameters) {
  switch (parameters->metricType) {
    case CUPTI_METRIC_TYPE_COUNTER:
      answer(*parameters, g_counters);
      return CUPTI_SUCCESS;
    case CUPTI_METRIC_TYPE_RATIO:
      answer(*parameters, g_ratios);
      return CUPTI_SUCCESS;
    case CUPTI_METRIC_TYPE_THROUGHPUT:
      answer(*parameters, g_throughputs);
      return CUPTI_SUCCESS;
    default:
      return CUPTI_ERROR_INVALID_PARAMETER;
  }
}

}  // extern "C"
