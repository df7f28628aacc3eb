// Rows of PROF_GRAPH_RANGES: ranges in which nodes of CUDA graphs were made outside of capture
// ranges.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>

#include "collector/ingest/string_table.hpp"
#include "collector/spool/clock_model.hpp"
#include "common/report/report_writer.hpp"
#include "common/wire/nvtx_records.hpp"

namespace prof::ingest {

class GraphRanges {
 public:
  GraphRanges(const spool::ClockModel& clock, const StringTable& strings,
              report::ReportWriter& writer)
      : clock_(clock), strings_(strings), writer_(writer) {}

  void add(std::int64_t global_tid, const wire::NvtxGraphRangeRecord& record);
  // Writes the rows. `end`: that of ranges that never ended, ns.
  void finish(std::int64_t end);

 private:
  using Key = std::tuple<std::int64_t, std::uint64_t, std::uint32_t>;  // thread, start, domain

  const spool::ClockModel& clock_;
  const StringTable& strings_;
  report::ReportWriter& writer_;
  std::map<Key, wire::NvtxGraphRangeRecord> ranges_;
};

}  // namespace prof::ingest
