// What may follow a report's name after a colon: cuda_gpu_kern_sum:nvtx-name:base.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "collector/base/result.hpp"
#include "exporters/events/code_lines.hpp"
#include "exporters/events/kernels.hpp"

namespace prof::stats {

// Calls by which waits are split.
enum class WaitedIn { kAnything, kOsrt, kCuda };

// What samples are counted by.
enum class SampleGroup { kFunction, kLine, kModule, kThread, kProcess };

struct Arguments {
  events::KernelNaming kernels;
  std::int64_t rows = 10;  // most rows to print; -1: all
  bool by_bytes = false;   // the most bytes first, not the most time
  std::int64_t depth = 1;  // frames of a call chain, innermost first; -1: all
  bool by_line = false;    // of code, not by function
  // Without one: by function; with source lines by line.
  std::optional<SampleGroup> sample_group = {};
  double least_percent = 1;  // of all samples, that a call path needs to be printed
  bool by_callers = false;   // from the innermost frame outwards
  bool by_thread = false;    // for each its own
  WaitedIn waited_in = WaitedIn::kAnything;
  std::string range = {};  // name of the NVTX range that is an iteration; empty: to be found
  // Of native code, where they are asked for: no word of the report's, but an option.
  std::shared_ptr<const events::CodeLines> code_lines = {};
};

// Which of them a report takes.
enum class Takes {
  kNothing,
  kKernelName,
  kKernelAndRangeName,
  kRows,
  kBytes,
  kDepth,
  kLine,
  kRange,
  kSamples,
  kTree,
  kStates
};

// Whether the report shows single functions of native code, which may have source lines.
bool shows_code(Takes takes, const Arguments& arguments);

// For --help-reports: "[:base|:mangled]".
const char* usage(Takes takes);

// Takes "base:nvtx-name", "rows=20", "depth=3", "range=step", or nothing.
base::Result<Arguments> parse_arguments(std::string_view words, Takes takes);

}  // namespace prof::stats
