// Makes rows that are computed from tables instead of showing a table's rows as events: curves and
// thread states.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/viewer/timeline/loading/row_tree.hpp"
#include "exporters/viewer/timeline/names.hpp"

namespace prof::timeline {

struct DerivedRow {
  // Finds or makes the row.
  std::function<RowId(RowTree&)> place;
  RowData data;
  std::uint64_t events = 0;  // number of rows of the table
  std::string table = {};
  std::string unit = {};
  std::vector<std::string> series = {};
};

struct DerivedContext {
  const report::ReportReader& reader;
  Names& names;
  std::uint32_t report;
};

struct DerivedSource {
  std::string table;
  base::Status (*read)(const DerivedContext& context, std::vector<DerivedRow>& rows);
};

// Returns the sources that a report has.
std::vector<DerivedSource> derived_sources(const report::ReportReader& reader);

// True for tables that these rows show. Other tables with times are layers.
bool is_derived_table(const std::string& table);

base::Status read_thread_states(const DerivedContext& context, std::vector<DerivedRow>& rows);
base::Status read_cpu_use(const DerivedContext& context, std::vector<DerivedRow>& rows);
base::Status read_gpu_metrics(const DerivedContext& context, std::vector<DerivedRow>& rows);
base::Status read_generic_events(const DerivedContext& context, std::vector<DerivedRow>& rows);
base::Status read_network_metrics(const DerivedContext& context, std::vector<DerivedRow>& rows);
base::Status read_file_bytes(const DerivedContext& context, std::vector<DerivedRow>& rows);
base::Status read_pc_samples(const DerivedContext& context, std::vector<DerivedRow>& rows);
base::Status read_memory_use(const DerivedContext& context, std::vector<DerivedRow>& rows);

// Puts a row into the tree.
void put(RowTree& tree, DerivedRow row);

}  // namespace prof::timeline
