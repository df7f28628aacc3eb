// Compares two reports of one program.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/event_filter.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/diff/changes.hpp"
#include "exporters/analysis/diff/figures.hpp"
#include "exporters/analysis/events/graph_nodes.hpp"

namespace prof::diff {

struct Options {
  std::vector<const Category*> categories;
  bool short_kernel_names = false;
  bool merge_numbers = false;  // merge NVTX ranges whose names differ only in numbers
  events::RangeOf range_of = events::RangeOf::kBoth;  // of work in CUDA graphs
};

struct Comparison {
  Figures before;
  Figures after;
  std::vector<Change> changes;  // all names, in the order of sort_largest_first()
};

// A report, and the events of it that count.
struct Part {
  const report::ReportReader* reader;
  report::EventFilter filter = {};
};

// Compares two reports. Fails if a report has none of the categories' tables.
base::Result<Comparison> compare(const report::ReportReader& before,
                                 const report::ReportReader& after, const Options& options);

// Compares the reports of two jobs: the sums over all of their reports. Durations are those of the
// longest report. Lists must not be empty.
base::Result<Comparison> compare(std::span<const Part> before, std::span<const Part> after,
                                 const Options& options);

}  // namespace prof::diff
