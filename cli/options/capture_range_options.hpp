// The options of prof profile that limit recording to capture ranges, under nsys's names.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "collector/session/options/session_options.hpp"

namespace prof::cli {

// As the user wrote them: what some of them mean depends on the others.
struct CaptureRangeWords {
  std::string range = "none";
  std::string nvtx = {};
  std::string end = "stop-shutdown";
  bool stop_on_range_end = true;
  std::string kill = "sigterm";
};

void add_capture_range_options(CLI::App& app, CaptureRangeWords& words);

inline constexpr const char* kNeverEntered =
    "the program never entered the capture range, so there is no report";
// What would have begun the range.
std::string why_never_entered(const CaptureRangeWords& words);

// Throws Failure for values that contradict each other or what is traced.
void resolve_capture_ranges(const CaptureRangeWords& words, session::SessionOptions& options);

}  // namespace prof::cli
