// Options of prof kernel: which launches it profiles, and how.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "collector/metrics/kernels/kernel_set.hpp"
#include "collector/session/options/session_options.hpp"

namespace prof::cli {

struct KernelOptions {
  std::string name;  // NAME or regex:EXPRESSION; empty: all
  std::string base = "function";
  std::string id;                    // CONTEXT:STREAM:[regex:]NAME:NUMBER; empty: any
  std::vector<std::string> include;  // expressions of ranges
  std::vector<std::string> exclude;
  std::string mode = "global";
  std::string replay = "auto";
  std::uint64_t skip = 0;
  std::uint64_t count = 0;  // 0: all
  std::uint64_t skip_before = 0;
};

void add_kernel_options(CLI::App& app, KernelOptions& options);

// Switches off what else is recorded and would take time and memory between the passes.
void record_kernels_alone(session::SessionOptions& options);

// Returns the text of the file wire::kKernelPlanName. `replays`: the metrics may need several
// passes. Throws Failure if an option is wrong.
std::string kernel_plan(const KernelOptions& options,
                        const std::vector<metrics::KernelMetric>& metrics, bool replays);

}  // namespace prof::cli
