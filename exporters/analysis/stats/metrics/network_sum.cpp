// network_sum: bytes and rates of network interfaces, InfiniBand and EFA ports.
#include <algorithm>
#include <iterator>
#include <string_view>

#include "exporters/analysis/stats/catalog.hpp"
#include "exporters/analysis/stats/metrics/byte_sums.hpp"

namespace prof::stats {

using tables::CellKind;

namespace {

// True if the counter counts bytes of the network. nsys's counters do not name the devices.
bool counts_bytes_of_network(const events::SampledCounter& counter) {
  if (counter.device.empty()) return counter.name == "tx_bytes" || counter.name == "rx_bytes";
  constexpr std::string_view kDomains[] = {"Network ", "InfiniBand ", "EFA "};
  return counter.name.ends_with("_bytes") &&
         std::any_of(std::begin(kDomains), std::end(kDomains),
                     [&](std::string_view domain) { return counter.device.starts_with(domain); });
}

}  // namespace

base::Result<tables::Table> network_sum(const report::ReportReader& reader, const Arguments&) {
  const auto series = events::read_counter_series(reader, counts_bytes_of_network);
  if (!series) return tl::make_unexpected(series.error());
  tables::Table table{byte_columns(), {}};
  table.columns.push_back({"Samples", CellKind::kInteger});
  table.columns.push_back({"Time (ns)", CellKind::kInteger});
  table.columns.push_back({"Counter", CellKind::kText});
  table.columns.push_back({"Device", CellKind::kText});
  for (const events::CounterSeries& each : *series) {
    const ByteSum sum = sum_of_bytes(each);
    if (sum.samples == 0) continue;
    auto cells = byte_cells(sum);
    cells.insert(cells.end(), {sum.samples, sum.time, each.counter.name, each.counter.device});
    table.rows.push_back(std::move(cells));
  }
  tables::sort_descending(table, 0);
  return table;
}

}  // namespace prof::stats
