// What happened in a span of a report: lanes of GPUs and threads, divided into
// bins.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/mcp/picture.hpp"

namespace prof::mcp {

struct Span {
  std::int64_t start;  // ns
  std::int64_t end;
};

// Returns the time from the first to the last event of the named views.
base::Result<Span> whole_span(const report::ReportReader& reader);

// Returns the lanes with the most time, at most `most`. The named views
// (exporters/analysis/query) have to be made before.
base::Result<std::vector<Lane>> lanes_of(const report::ReportReader& reader, const Span& span,
                                         std::size_t bins, std::size_t most);

}  // namespace prof::mcp
