// Options of all verbs that record: the reports and the event buffer.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "collector/session/options/session_options.hpp"

namespace prof::cli {

void add_output(CLI::App& app, std::string& output, bool& overwrite);
// Adds --metrics-endpoint (prof profile and prof launch).
void add_metrics_endpoint(CLI::App& app, session::SessionOptions& options);

void add_buffer_size(CLI::App& app, std::uint64_t& bytes);
// What prof does with a report when it is written.
struct ReportWork {
  std::vector<std::string> exports = {};  // types of prof export
  bool stats = false;
  bool partial = false;  // write the partial results
};
void add_report_work(CLI::App& app, ReportWork& work);

}  // namespace prof::cli
