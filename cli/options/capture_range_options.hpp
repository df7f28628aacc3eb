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
// Parts of them, for prof launch, prof start and prof shutdown.
void add_nvtx_capture(CLI::App& app, CaptureRangeWords& words);
void add_capture_range(CLI::App& app, CaptureRangeWords& words);
CLI::Option* add_kill(CLI::App& app, std::string& word, const char* help);

// "sigterm", "TERM" or "15". 0: there is no such signal.
int find_signal(const std::string& text);
// The same, or "none", which is 0; also true and false, as signals and none. Throws Failure.
int signal_number(const std::string& text);

// What would have begun the range.
std::string why_never_entered(const CaptureRangeWords& words);

// What prof launch knows of capture ranges, and what prof start adds.
void resolve_nvtx_capture(const CaptureRangeWords& words, session::CaptureRangeOptions& ranges);
void resolve_started_range(const CaptureRangeWords& words, session::SessionOptions& options);

// Traces what the range needs, and warns of what has no effect. Throws Failure for a wrong value.
void resolve_capture_ranges(const CaptureRangeWords& words, session::SessionOptions& options);

}  // namespace prof::cli
