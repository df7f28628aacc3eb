// The option --align: how several reports share a clock.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "exporters/ranks/clocks/alignment.hpp"

namespace prof::cli {

// Explains the values, for the help of verbs whose reports have a common clock unless the user says
// otherwise.
inline constexpr const char* kAlignHelp =
    "clock: that of their machine, of several machines the wall clock. collectives: by the ends of "
    "collective operations. range:NAME: the first NVTX range of this name starts at the same time "
    "in all. none: that of each report. Default: by collectives of several machines, otherwise by "
    "clock";

// Adds the option; `text` stays empty without it.
CLI::Option* add_align_option(CLI::App& app, std::string& text, const std::string& what);

// Returns the words that the option takes, for completion.
std::vector<std::string> align_words();

// Throws Failure for a text that the option does not take, and if it could not change what is
// printed: of one report, or without a reason to need a common clock (a window of time, or a
// comparison of ranks).
void check_align(const std::string& text, bool has_several, bool has_reason);

// Throws Failure for another text than the option takes. Empty: what suits best.
ranks::ClockChoice clock_choice(const std::string& text);

// Aligns the reports. Throws Failure if they cannot be aligned as asked for.
ranks::AlignedReports align_reports(const std::vector<std::string>& paths, const std::string& text);

// Names on stderr what the reports could not be aligned by, and which errors are unknown.
void print_alignment(const ranks::AlignedReports& aligned);

}  // namespace prof::cli
