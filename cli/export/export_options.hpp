// The options of prof export.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/output/options/table_options.hpp"
#include "exporters/analysis/events/clocks/clock_map.hpp"
#include "exporters/analysis/events/graph_nodes.hpp"
#include "exporters/formats/perfetto/perfetto.hpp"

namespace prof::cli {

// The values of the options, as on the command line.
struct ExportOptions {
  std::string type = {};
  std::string output = {};  // empty: the default of the type
  bool several = false;     // several reports; then `output` is the folder of their exports
  bool overwrite = false;
  bool append = false;
  bool quiet = false;
  // Rows and columns.
  std::vector<std::string> tables = {};
  std::vector<std::string> times = {};
  bool normalize = false;
  std::int64_t shift = 0;  // ns
  std::string align = {};  // how several reports share a clock; empty: not
  // How the report's times become those of the common clock, and the wall clock at its 0, in ns
  // since 1970. 0: unknown.
  events::ClockMap clock = {};
  std::optional<std::int64_t> utc_start = {};  // nothing: as the report says
  bool lazy = true;
  bool json = false;
  bool blobs = false;
  bool separate_strings = false;
  TableOptions filters = {};
  std::vector<std::string> processes = {};
  // The options of exports of samples.
  std::string samples = {};  // empty: cpu
  bool lines = false;
  // The options of exports of traces.
  std::int64_t rank = 0;
  std::int64_t world_size = 1;
  bool ranks = false;     // write a trace for each process with GPU work
  std::string step = {};  // NVTX range of a training step; empty: none
  events::RangeOf range_of = events::RangeOf::kBoth;
  formats::GpuTracks gpu_tracks = formats::GpuTracks::kPlain;
};

// Returns the options of each report: with --align its clock. Throws Failure if the reports cannot
// be aligned as asked for.
std::vector<ExportOptions> options_of(const std::vector<std::string>& reports,
                                      const ExportOptions& options);

// Adds all options but --type.
void add_export_options(CLI::App& app, ExportOptions& options);

}  // namespace prof::cli
