// The options of prof profile that limit recording to capture ranges, under nsys's names.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

#include "collector/session/options/session_options.hpp"

namespace prof::cli {

// The values of the options as the user wrote them. The meaning of some depends on the others.
struct CaptureRangeWords {
  std::string range = "none";
  std::string nvtx = {};
  std::string end = "stop-shutdown";
  bool is_end_given = false;
  bool stop_on_range_end = true;
  std::string kill = "sigterm";
  std::string at_step = {};
  std::string step_range = {};
  std::uint32_t first_frame = 0;  // 0: not given, as below
  std::uint32_t frames = 0;
};

void add_capture_range_options(CLI::App& app, CaptureRangeWords& words);
// These add single options, for prof launch, prof start and prof shutdown.
void add_nvtx_capture(CLI::App& app, CaptureRangeWords& words);
void add_capture_range(CLI::App& app, CaptureRangeWords& words);
CLI::Option* add_kill(CLI::App& app, std::string& word, const char* help);

// Returns the number of the signal "sigterm", "TERM" or "15"; 0 if there is no such signal.
int find_signal(const std::string& text);
// Returns the number of a signal; 0 for "none" or "false"; SIGTERM for "true". Throws Failure for
// another text.
int signal_number(const std::string& text);

// Returns why the program never entered the range: what would have begun the range.
std::string why_never_entered(const CaptureRangeWords& words);

// Switches on tracing that begins and ends ranges, with a warning.
void need_trace(session::SessionOptions& options, std::uint32_t feature, const char* text);
// Makes the range of the words RANGE@DOMAIN begin and end capture ranges. Throws Failure.
void set_nvtx_range(const std::string& words, session::CaptureRangeOptions& ranges);

// Completes the options that prof launch has. prof start adds the others.
void resolve_launched_steps(const CaptureRangeWords& words, session::SessionOptions& options);
void resolve_nvtx_capture(const CaptureRangeWords& words, session::CaptureRangeOptions& ranges);
void resolve_started_range(const CaptureRangeWords& words, session::SessionOptions& options);

// Switches on the tracing that the range needs, and warns about options without effect. Throws
// Failure for a wrong value.
void resolve_capture_ranges(const CaptureRangeWords& words, session::SessionOptions& options);

}  // namespace prof::cli
