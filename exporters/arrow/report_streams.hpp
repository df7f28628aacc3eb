// What can be read of a report as a stream.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "exporters/analysis/events/event_filter.hpp"
#include "exporters/arrow/table_rows.hpp"

namespace prof::arrow {

struct StreamOptions {
  events::EventFilter time = {};            // only its start and end
  std::string nvtx = {};                    // as --filter-nvtx
  std::vector<std::string> processes = {};  // as --process
  std::vector<std::string> columns = {};    // of a table; empty: all
  std::vector<std::string> wide = {};       // columns of a table that get 64 bits
  bool names = false;                       // ids of StringIds are read as their texts

  bool filters() const {
    return !nvtx.empty() || !processes.empty() || !(time == events::EventFilter{});
  }
};

using Source = base::Result<std::unique_ptr<RowSource>>;

// A report that stays open for several tables.
base::Result<SharedReader> open_report(const std::string& path);
// `options` without filters.
Source stream_table(const SharedReader& report, const std::string& table,
                    const StreamOptions& options);

Source stream_tables(const std::string& path);
Source stream_table(const std::string& path, const std::string& table,
                    const StreamOptions& options);
// The table of kernels. `launched_in`: only those that were launched inside of this NVTX range,
// "RANGE[@DOMAIN][/INDEX]": without INDEX inside of any such range. Empty: all.
Source stream_kernels(const std::string& path, const std::string& launched_in,
                      const StreamOptions& options);
// `request`: NAME or NAME:ARGUMENT:…
Source stream_statistic(const std::string& path, const std::string& request,
                        const StreamOptions& options);
Source stream_statistics(const std::string& path);
Source stream_findings(const std::string& path, const StreamOptions& options);
// `range`: the NVTX range that is an iteration; empty: it is found.
Source stream_iterations(const std::string& path, const std::string& range,
                         const StreamOptions& options);

}  // namespace prof::arrow
