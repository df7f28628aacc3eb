// Lists what can be read from a report as a stream.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/events/clocks/clock_map.hpp"
#include "exporters/analysis/events/event_filter.hpp"
#include "exporters/analysis/events/graph_nodes.hpp"
#include "exporters/arrow/table_rows.hpp"

namespace prof::arrow {

struct StreamOptions {
  events::EventFilter time = {};                      // only the start and end are used
  std::string nvtx = {};                              // like --filter-nvtx
  std::vector<std::string> processes = {};            // like --process
  std::vector<std::string> columns = {};              // columns of a table; empty: all
  std::vector<std::string> wide = {};                 // columns of a table that get 64 bits
  events::RangeOf range_of = events::RangeOf::kBoth;  // of work in CUDA graphs
  bool names = false;                                 // read ids of StringIds as their texts

  bool filters() const {
    return !nvtx.empty() || !processes.empty() || !(time == events::EventFilter{});
  }
};

// Returns which events of the report the options select. The window of time is on the clock that
// `clock` leads to.
base::Result<events::EventFilter> filter_of(const report::ReportReader& reader,
                                            const StreamOptions& options,
                                            const events::ClockMap& clock = {});

using Source = base::Result<std::unique_ptr<RowSource>>;

// A report that stays open for several tables.
base::Result<SharedReader> open_report(const std::string& path);
// Streams a table. `options` must not have filters.
Source stream_table(const SharedReader& report, const std::string& table,
                    const StreamOptions& options);

Source stream_tables(const std::string& path);
Source stream_table(const std::string& path, const std::string& table,
                    const StreamOptions& options);
// Streams the table of kernels. If `launched_in` is not empty, only the kernels that were launched
// inside of this NVTX range are read. It is "RANGE[@DOMAIN][/INDEX]"; without INDEX it stands for
// all ranges of that name.
Source stream_kernels(const std::string& path, const std::string& launched_in,
                      const StreamOptions& options);
// Streams a statistic. `request` is NAME or NAME:ARGUMENT:…
Source stream_statistic(const std::string& path, const std::string& request,
                        const StreamOptions& options);
Source stream_statistics(const std::string& path);
Source stream_findings(const std::string& path, const StreamOptions& options);
// Streams the iterations. `range` is the NVTX range that is an iteration; if it is empty, prof
// finds the iterations.
Source stream_iterations(const std::string& path, const std::string& range,
                         const StreamOptions& options);

}  // namespace prof::arrow
