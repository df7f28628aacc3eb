// The option --lines of prof stats and prof export.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>

#include "common/report/report_reader.hpp"
#include "exporters/analysis/events/call_chains/code_lines.hpp"

namespace prof::cli {

void add_lines_option(CLI::App& app, bool& lines);

// Returns the source lines of the report's native code, or null if the report does not identify
// that code. Unless `quiet`, warns about that and about files without source lines.
std::shared_ptr<const events::CodeLines> find_source_lines(const report::ReportReader& reader,
                                                           bool quiet);

}  // namespace prof::cli
