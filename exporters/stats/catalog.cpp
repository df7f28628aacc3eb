#include "exporters/stats/catalog.hpp"

namespace prof::stats {

namespace {

constexpr StatsReport kCatalog[] = {
    {"nvtx_sum", "nvtxsum", "NVTX Range Summary", "NVTX_EVENTS", "NV Tools Extension (NVTX) data",
     nvtx_sum, "Time in NVTX ranges of either kind, by domain and name"},
    {"osrt_sum", "osrtsum", "OS Runtime Summary", "OSRT_API", "OS Runtime trace data", osrt_sum,
     "Time in OS-runtime calls, by function"},
    {"nvtx_pushpop_sum", "nvtxppsum", "NVTX Push/Pop Range Summary", "NVTX_EVENTS",
     "NV Tools Extension (NVTX) data", nvtx_pushpop_sum,
     "Time in NVTX push/pop ranges, by domain and name"},
};

}  // namespace

std::span<const StatsReport> catalog() { return kCatalog; }

const StatsReport* find_report(std::string_view name) {
  for (const StatsReport& report : kCatalog)
    if (name == report.name || name == report.old_name) return &report;
  return nullptr;
}

}  // namespace prof::stats
