#include "exporters/viewer/timeline/derived/derived_rows.hpp"

#include <algorithm>
#include <array>

#include "exporters/analysis/events/event_tables.hpp"
#include "exporters/analysis/events/metrics/gpu_metrics.hpp"

namespace prof::timeline {

namespace {

struct Entry {
  const char* table;
  const char* column;  // column that the table needs
  base::Status (*read)(const DerivedContext&, std::vector<DerivedRow>&);
};
constexpr std::array kSources = {
    Entry{events::kSchedulingTable, "isSchedIn", read_thread_states},
    Entry{events::kSchedulingTable, "cpu", read_cpu_use},
    Entry{events::kGpuMetricTable, "metricId", read_gpu_metrics},
    Entry{events::kGenericEventTable, "typeId", read_generic_events},
    Entry{"NET_NIC_METRIC", "metricsIdx", read_network_metrics},
    Entry{"NET_IB_SWITCH_METRIC", "metricsIdx", read_network_metrics},
    Entry{events::kFileEventTable, "bytesProcessed", read_file_bytes},
    Entry{events::kPcSampleTable, "stallId", read_pc_samples},
    Entry{events::kMemoryUsageTable, "memoryOperationType", read_memory_use},
};

}  // namespace

std::vector<DerivedSource> derived_sources(const report::ReportReader& reader) {
  std::vector<DerivedSource> result;
  for (const Entry& each : kSources) {
    // The two tables of the network have the same function.
    const bool is_known =
        std::any_of(result.begin(), result.end(),
                    [&](const DerivedSource& other) { return other.read == each.read; });
    if (!is_known && reader.has_column(each.table, each.column))
      result.push_back({each.table, each.read});
  }
  return result;
}

bool is_derived_table(const std::string& table) {
  return std::any_of(kSources.begin(), kSources.end(),
                     [&](const Entry& each) { return table == each.table; });
}

void put(RowTree& tree, DerivedRow derived) {
  RowTree::Node& node = tree.at(derived.place(tree));
  Row& row = node.row;
  row.events = derived.events;
  row.unit = std::move(derived.unit);
  row.series = std::move(derived.series);
  row.tables.clear();
  if (!derived.table.empty()) row.tables.push_back(std::move(derived.table));
  row.exact = true;
  ++row.version;
  node.data = std::move(derived.data);
  node.data.exact = true;
  if (node.data.events) {
    row.lanes = node.data.events->lanes();
    row.duration = node.data.events->total();
  }
  if (node.data.counter || node.data.later)
    row.lanes = static_cast<std::uint32_t>(row.series.size());
}

}  // namespace prof::timeline
