// The option --align: how several reports share a clock.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "exporters/ranks/clocks/alignment.hpp"

namespace prof::cli {

// Adds the option; `text` stays empty without it.
CLI::Option* add_align_option(CLI::App& app, std::string& text, const std::string& what);

// Returns the words that the option takes, for completion.
std::vector<std::string> align_words();

// Throws Failure for another text than the option takes. Empty: what suits best.
ranks::ClockChoice clock_choice(const std::string& text);

// Aligns the reports. Throws Failure if they cannot be aligned as asked for.
ranks::AlignedReports align_reports(const std::vector<std::string>& paths, const std::string& text);

// Names on stderr what the reports could not be aligned by, and which errors are unknown.
void print_alignment(const ranks::AlignedReports& aligned);

}  // namespace prof::cli
