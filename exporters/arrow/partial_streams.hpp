// Partial results of reports as Arrow streams, and the statistics of a job.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "exporters/arrow/arrow_abi.h"
#include "exporters/arrow/report_streams.hpp"
#include "exporters/ranks/partial.hpp"

namespace prof::arrow {

// Streams the partial result of a report, from the file beside it if that fits. If it does not, the
// schema has the reason as the metadata "unfit". `statistics` are NAME or NAME:ARGUMENT:…; none:
// the usual ones.
Source stream_partial(const std::string& path, const std::vector<std::string>& statistics);

// Reads and releases the streams, and streams the sum of their partial results.
Source stream_merged(std::span<ArrowArrayStream*> streams);

// Reads and releases a stream of a partial result, and streams a statistic of it. `by` is "run",
// "node" or "rank".
Source stream_merged_statistic(ArrowArrayStream& stream, const std::string& statistic,
                               const std::string& by);

// Streams the ranks of reports: which count, which are left out and why.
Source stream_ranks(const std::vector<std::string>& paths);

// Streams how the reports share a clock. `align` is as --align of prof stats; empty: the best.
Source stream_run_clocks(const std::vector<std::string>& paths, const std::string& align);

// Streams a statistic of the ranks of reports, of the events that `options` select: their window of
// time is on the clock that `align` says. Reports that cannot be read do not count.
Source stream_run_statistic(const std::vector<std::string>& paths, const std::string& statistic,
                            const std::string& by, const std::string& align = {},
                            const StreamOptions& options = {});

}  // namespace prof::arrow
