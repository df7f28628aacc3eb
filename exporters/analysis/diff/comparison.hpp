// Compares two reports of one program.
#pragma once

#include <cstddef>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/diff/changes.hpp"
#include "exporters/analysis/diff/figures.hpp"

namespace prof::diff {

struct Options {
  std::vector<const Category*> categories;
  bool short_kernel_names = false;
  bool merge_numbers = false;  // merge NVTX ranges whose names differ only in numbers
};

struct Comparison {
  Figures before;
  Figures after;
  std::vector<Change> changes;  // all names, in the order of sort_largest_first()
};

// Compares two reports. Fails if a report has none of the categories' tables.
base::Result<Comparison> compare(const report::ReportReader& before,
                                 const report::ReportReader& after, const Options& options);

}  // namespace prof::diff
