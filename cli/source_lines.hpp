// --lines: what prof stats and prof export share of it.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>

#include "collector/report/report_reader.hpp"
#include "exporters/events/call_chains/code_lines.hpp"

namespace prof::cli {

void add_lines_option(CLI::App& app, bool& lines);

// Of the report's native code; null where it does not say which code that is. Unless `quiet`, tells
// the user of that, and of files whose lines are not known.
std::shared_ptr<const events::CodeLines> find_source_lines(const report::ReportReader& reader,
                                                           bool quiet);

}  // namespace prof::cli
