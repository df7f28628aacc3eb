// Reads the events of a layer, or a part of them.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "exporters/viewer/timeline/columns/id_map.hpp"
#include "exporters/viewer/timeline/layers/layers.hpp"

namespace prof::timeline {

// The maximum number of rows of a kind. The events of further threads or streams share one row for
// each process.
inline constexpr std::size_t kMaxRows = 8192;

// The result of a scan.
struct Collected {
  struct Events {
    Sections sections;
    std::array<std::vector<RawEvent>, kLayouts> open;  // events without an end
  };
  std::unordered_map<RowKey, Events, RowKeyHash> rows;
  Domains domains;
  std::int64_t faulty = 0;          // events with impossible times
  std::int64_t latest = INT64_MIN;  // latest time in these tables
  void append(Collected&& other);
};

// Returns the rowids of a table.
base::Result<RowRange> rows_of(const report::ReportReader& reader, const std::string& table);

// A range of a table to scan. `number` is the source's index in its layer.
struct ScanPart {
  TreeLevel place;
  const Source* source;
  std::uint8_t number;
  IdMap* ids;
  std::size_t part;
  RowRange rows;
};
base::Status scan_part(const report::ReportReader& reader, const ScanPart& part,
                       ScanContext& context, Collected& collected);

// Scans a sample: `blocks` blocks of rows, evenly distributed over the table.
base::Status scan_sample(const report::ReportReader& reader, const ScanPart& part, int blocks,
                         ScanContext& context, Collected& collected);

}  // namespace prof::timeline
