// Steps of a program: which range is one (--step-range), and which of them are recorded
// (--at-step).
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "collector/session/options/session_options.hpp"

namespace prof::cli {

// --step-range of prof profile and prof launch.
void add_step_range(CLI::App& app, std::string& range, const char* help);
// --at-step of prof start.
void add_at_step(CLI::App& app, std::string& steps);

// Parses "2,1000:5", the windows of prof profile --at-step. Throws Failure.
std::vector<wire::StepWindow> parse_windows(const std::string& words);
// Parses "1000", "1000:5", "next:1000" or "next:1000:5", the steps of prof start --at-step. Throws
// Failure.
session::StepRequest parse_steps(const std::string& word);

// True if the value of --step-range means PyTorch's steps.
bool is_optimizer(const std::string& range);
// Makes the ranges of --step-range the steps. Switches on the tracing that they need; `option`
// names what needs it.
void choose_step_range(const std::string& range, const char* option,
                       session::SessionOptions& options);

}  // namespace prof::cli
