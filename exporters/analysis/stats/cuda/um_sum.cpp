// um_sum: migrations and page faults of unified memory, by address. um_total_sum: their totals.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "exporters/analysis/events/event_tables.hpp"
#include "exporters/analysis/events/memory/memory_operations.hpp"
#include "exporters/analysis/events/rows.hpp"
#include "exporters/analysis/stats/catalog.hpp"

namespace prof::stats {

using tables::CellKind;

namespace {

// ENUM_CUDA_MEMCPY_OPER
constexpr std::int64_t kToDevice = 11;
constexpr std::int64_t kToHost = 12;

struct Traffic {
  std::int64_t to_device = 0;  // bytes
  std::int64_t to_host = 0;
  std::int64_t cpu_faults = 0;
  std::int64_t gpu_faults = 0;
  std::int64_t time = 0;  // of the migrations, ns

  std::int64_t bytes() const { return to_device + to_host; }
};

using TrafficByAddress = std::map<std::uint64_t, Traffic>;

base::Status read_migrations(const report::ReportReader& reader, TrafficByAddress& traffic) {
  if (!reader.has_table(events::kMemcpyTable)) return {};
  return events::for_each_event(reader,
                                {events::kMemcpyTable,
                                 {"virtualAddress", "copyKind", "bytes"},
                                 report::RowCondition{"copyKind", {kToDevice, kToHost}},
                                 "AND virtualAddress IS NOT NULL"},
                                [&](const events::Times& times, const report::Row& row) {
                                  Traffic& at = traffic[static_cast<std::uint64_t>(row.integer(0))];
                                  (row.integer(1) == kToDevice ? at.to_device : at.to_host) +=
                                      row.integer(2);
                                  at.time += times.duration();
                                });
}

base::Result<TrafficByAddress> read_traffic(const report::ReportReader& reader) {
  TrafficByAddress traffic;
  base::Status read = read_migrations(reader, traffic);
  const auto read_faults = [&](const char* table, const char* count, std::int64_t Traffic::*sum) {
    if (!read || !reader.has_table(table)) return;
    read = events::for_each_row(reader, fmt::format("SELECT address, {} FROM {}", count, table),
                                [&](const report::Statement& row) {
                                  traffic[static_cast<std::uint64_t>(row.integer(0))].*sum +=
                                      row.integer(1);
                                });
  };
  read_faults(events::kCpuFaultTable, "1", &Traffic::cpu_faults);
  read_faults(events::kGpuFaultTable, "numberOfPageFaults", &Traffic::gpu_faults);
  if (!read) return tl::make_unexpected(read.error());
  return traffic;
}

std::string address_text(std::uint64_t address) { return fmt::format("0x{:X}", address); }

double moved_megabytes(std::int64_t bytes) { return static_cast<double>(bytes) / 1e6; }

}  // namespace

base::Result<tables::Table> um_sum(const report::ReportReader& reader, const Arguments& arguments) {
  const auto traffic = read_traffic(reader);
  if (!traffic) return tl::make_unexpected(traffic.error());
  std::vector<std::pair<std::uint64_t, Traffic>> migrated;
  for (const auto& each : *traffic)
    if (each.second.bytes() > 0) migrated.push_back(each);
  std::stable_sort(migrated.begin(), migrated.end(), [](const auto& a, const auto& b) {
    return a.second.bytes() > b.second.bytes();
  });
  if (arguments.rows >= 0 && static_cast<std::size_t>(arguments.rows) < migrated.size())
    migrated.resize(static_cast<std::size_t>(arguments.rows));
  tables::Table table{{{"Virtual Address", CellKind::kText},
                       {"HtoD Migration Size (MB)", CellKind::kReal, 3},
                       {"DtoH Migration Size (MB)", CellKind::kReal, 3},
                       {"CPU Page Faults", CellKind::kInteger},
                       {"GPU PageFaults", CellKind::kInteger},
                       {"Migration Throughput (MB/s)", CellKind::kReal, 3}},
                      {}};
  for (const auto& [address, at] : migrated) {
    const double seconds = static_cast<double>(at.time) / 1e9;
    table.rows.push_back(
        {address_text(address), moved_megabytes(at.to_device), moved_megabytes(at.to_host),
         at.cpu_faults, at.gpu_faults,
         at.time > 0 ? tables::Cell{moved_megabytes(at.bytes()) / seconds} : tables::Cell{}});
  }
  return table;
}

base::Result<tables::Table> um_total_sum(const report::ReportReader& reader, const Arguments&) {
  const auto traffic = read_traffic(reader);
  if (!traffic) return tl::make_unexpected(traffic.error());
  if (traffic->empty()) return tables::Table{};
  Traffic total;
  for (const auto& [address, at] : *traffic) {
    total.to_device += at.to_device;
    total.to_host += at.to_host;
    total.cpu_faults += at.cpu_faults;
    total.gpu_faults += at.gpu_faults;
  }
  return tables::Table{{{"Total HtoD Migration Size (MB)", CellKind::kReal, 3},
                        {"Total DtoH Migration Size (MB)", CellKind::kReal, 3},
                        {"Total CPU Page Faults", CellKind::kInteger},
                        {"Total GPU PageFaults", CellKind::kInteger},
                        {"Minimum Virtual Address", CellKind::kText},
                        {"Maximum Virtual Address", CellKind::kText}},
                       {{moved_megabytes(total.to_device), moved_megabytes(total.to_host),
                         total.cpu_faults, total.gpu_faults, address_text(traffic->begin()->first),
                         address_text(traffic->rbegin()->first)}}};
}

}  // namespace prof::stats
