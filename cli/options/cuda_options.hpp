// The --cuda-* options of prof profile, by nsys's names.
#pragma once

#include <CLI/CLI.hpp>

#include <cstdint>
#include <string>

#include "injection/wire/handshake.hpp"

namespace prof::cli {

class CudaOptions {
 public:
  void define(CLI::App& app);

  // What travels to the injected library. Throws Failure for a path that does not fit.
  wire::CudaConfig config(bool hardware_trace) const;

  bool replaces_injection() const { return injection_ == "force"; }
  std::string graph_mode() const { return graph_trace_.substr(0, graph_trace_.find(':')); }
  std::uint32_t flush_interval() const { return flush_interval_; }
  bool memory_usage() const { return memory_usage_; }
  bool all_apis() const { return all_apis_; }
  bool flush_on_profiler_stop() const { return flush_on_stop_; }

 private:
  bool memory_usage_ = false;
  std::string graph_trace_ = "graph";
  std::string event_trace_ = "auto";
  bool cpu_faults_ = false;
  bool gpu_faults_ = false;
  bool all_apis_ = false;
  bool flush_on_stop_ = true;
  std::uint32_t flush_interval_ = 500;
  std::uint32_t flush_timeout_ = 10;
  std::string cupti_path_;
  std::string injection_ = "keep";
};

}  // namespace prof::cli
