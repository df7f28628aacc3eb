#include "exporters/analysis/insight/profiles/memory_chart.hpp"

#include <string>

namespace prof::insight {

namespace {

// The metrics of a link. Empty names: the link has no such value.
struct LinkMetrics {
  const char* link;
  const char* what;
  const char* requests;
  const char* bytes;
  double factor;  // from the metric to bytes
  const char* hits;
};
constexpr double kSector = 32;      // bytes
constexpr double kWavefront = 128;  // bytes at most
constexpr LinkMetrics kLinks[] = {
    {"kernel <- L1", "global loads", "l1tex__t_requests_pipe_lsu_mem_global_op_ld",
     "l1tex__t_sectors_pipe_lsu_mem_global_op_ld", kSector,
     "l1tex__t_sector_pipe_lsu_mem_global_op_ld_hit_rate.pct"},
    {"kernel -> L1", "global stores", "l1tex__t_requests_pipe_lsu_mem_global_op_st",
     "l1tex__t_sectors_pipe_lsu_mem_global_op_st", kSector,
     "l1tex__t_sector_pipe_lsu_mem_global_op_st_hit_rate.pct"},
    {"kernel <- L1", "local loads", "l1tex__t_requests_pipe_lsu_mem_local_op_ld",
     "l1tex__t_sectors_pipe_lsu_mem_local_op_ld", kSector,
     "l1tex__t_sector_pipe_lsu_mem_local_op_ld_hit_rate.pct"},
    {"kernel -> L1", "local stores", "l1tex__t_requests_pipe_lsu_mem_local_op_st",
     "l1tex__t_sectors_pipe_lsu_mem_local_op_st", kSector,
     "l1tex__t_sector_pipe_lsu_mem_local_op_st_hit_rate.pct"},
    {"kernel <- shared memory", "shared loads", "smsp__sass_inst_executed_op_shared_ld",
     "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld", kWavefront, ""},
    {"kernel -> shared memory", "shared stores", "smsp__sass_inst_executed_op_shared_st",
     "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st", kWavefront, ""},
    {"L1 <- L2", "reads", "", "l1tex__m_xbar2l1tex_read_bytes", 1,
     "lts__t_sector_op_read_hit_rate.pct"},
    {"L1 -> L2", "writes", "", "l1tex__m_l1tex2xbar_write_bytes", 1,
     "lts__t_sector_op_write_hit_rate.pct"},
    {"L2 <- DRAM", "reads", "", "dram__bytes_read", 1, ""},
    {"L2 <- DRAM", "reads", "", "dram__bytes_op_read", 1, ""},
    {"L2 -> DRAM", "writes", "", "dram__bytes_write", 1, ""},
    {"L2 -> DRAM", "writes", "", "dram__bytes_op_write", 1, ""},
};

std::optional<double> sum_of(const MetricValues& metrics, const std::string& name) {
  return name.empty() ? std::nullopt : metrics.find(name + ".sum");
}

}  // namespace

std::vector<MemoryLink> memory_chart_of(const MetricValues& metrics) {
  std::vector<MemoryLink> links;
  for (const LinkMetrics& each : kLinks) {
    const auto amount = sum_of(metrics, each.bytes);
    if (!amount || *amount <= 0) continue;
    links.push_back({each.link, each.what, sum_of(metrics, each.requests), *amount * each.factor,
                     metrics.find(std::string(each.bytes) + ".sum.pct_of_peak_sustained_elapsed"),
                     *each.hits == '\0' ? std::nullopt : metrics.find(each.hits)});
  }
  return links;
}

}  // namespace prof::insight
