// Parses the arguments of a statistic. They follow its name after colons, as in
// cuda_gpu_kern_sum:nvtx-name:base.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.hpp"
#include "exporters/analysis/events/call_chains/code_lines.hpp"
#include "exporters/analysis/events/kernels.hpp"
#include "exporters/analysis/operators/group_by.hpp"
#include "exporters/analysis/path/path_by.hpp"
#include "exporters/analysis/stats/operators/pyprof_columns.hpp"

namespace prof::stats {

// The kind of calls by which waits are split.
enum class WaitedIn { kAnything, kOsrt, kCuda };

// How samples are grouped.
enum class SampleGroup { kFunction, kLine, kModule, kThread, kProcess };

// The times over which GPU metrics and power are averaged.
enum class MetricsBy { kRun, kRange, kKernel, kIteration };

struct Arguments {
  events::KernelNaming kernels;
  std::int64_t rows = 10;      // maximum number of rows; -1: all
  bool merge_numbers = false;  // merge names that differ only in numbers
  bool by_bytes = false;       // sort by bytes instead of time
  std::int64_t depth = 1;      // number of frames of a call chain, innermost first; -1: all
  bool by_line = false;        // group by source line instead of function
  // Default: by function, or by line if source lines are shown.
  std::optional<SampleGroup> sample_group = {};
  double least_percent = 1;  // call paths with a smaller share of the samples are not printed
  bool by_callers = false;   // begin the tree with the innermost frame
  bool by_thread = false;    // one tree for each thread
  WaitedIn waited_in = WaitedIn::kAnything;
  MetricsBy metrics_by = MetricsBy::kRun;
  operators::GroupBy operators_by = operators::GroupBy::kOperator;
  std::vector<PyprofColumn> pyprof_columns = {};  // empty: the default ones
  path::PathBy path_by = path::PathBy::kWork;
  std::string what_if = {};  // what takes another time; empty: what is on the path takes none
  std::string kernel = {};   // pattern of kernels' names; empty: the one with the most samples
  std::string range = {};    // NVTX range that is an iteration; empty: find it automatically
  // Source lines and inlined functions of native code, or null. They are not a word after the name.
  std::shared_ptr<const events::CodeLines> code_lines = {};
  // An option shows the source lines. Otherwise only the inlined functions count.
  bool shows_lines = false;
};

// The arguments that a statistic takes.
enum class Takes {
  kNothing,
  kKernelName,
  kMerge,
  kKernelAndRangeName,
  kRows,
  kBytes,
  kDepth,
  kLine,
  kRange,
  kSamples,
  kTree,
  kStates,
  kMetrics,
  kOperators,
  kPyprof,
  kPower,
  kPath,
  kWhatIf,
  kKernel
};

// True if the statistic shows functions of native code, which may have source lines.
bool shows_code(Takes takes, const Arguments& arguments);

// Returns the arguments as --help-reports shows them: "[:base|:mangled]".
const char* usage(Takes takes);

// Parses the words after the name: "base:nvtx-name", "rows=20", "depth=3", "range=step". The words
// may be empty.
base::Result<Arguments> parse_arguments(std::string_view words, Takes takes);

}  // namespace prof::stats
