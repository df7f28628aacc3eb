// The options of prof stats that select what its tables show and how they look on a terminal.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/report/report_reader.hpp"
#include "exporters/analysis/events/event_filter.hpp"
#include "exporters/analysis/events/graph_nodes.hpp"

namespace prof::cli {

enum class Color { kAuto, kAlways, kNever };

struct ViewOptions {
  std::optional<std::int64_t> rows = {};  // 0: all
  std::string sort = {};                  // COLUMN[:asc|:desc]
  std::vector<std::string> names = {};    // patterns
  std::vector<std::string> processes = {};
  std::vector<std::string> threads = {};
  events::RangeOf range_of = events::RangeOf::kBoth;
  Color color = Color::kAuto;
  bool no_pager = false;
};

void add_view_options(CLI::App& app, ViewOptions& options);

// Throws Failure if an option is wrong.
void check_view_options(const ViewOptions& options);

// Returns the filter of --process and --thread. Throws Failure if nothing matches.
events::EventFilter thread_filter(const ViewOptions& options, const report::ReportReader& reader);

}  // namespace prof::cli
