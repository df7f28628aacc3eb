// The options of prof profile that limit recording to ranges of the program's, by nsys's names.
#pragma once

#include <CLI/CLI.hpp>

#include <string>

#include "collector/session/options/session_options.hpp"

namespace prof::cli {

class CaptureOptions {
 public:
  void define(CLI::App& app);

  // Throws Failure for values that make no sense together. `cuda`, `nvtx`: what is traced.
  session::CaptureRanges ranges(bool cuda, bool nvtx) const;

  const std::string& trigger() const { return range_; }

 private:
  void set_end(session::CaptureRanges& ranges) const;
  void set_nvtx(wire::CaptureConfig& config) const;

  std::string range_ = "none";
  std::string nvtx_;
  std::string end_ = "stop-shutdown";
  bool stop_on_range_end_ = true;
  std::string kill_ = "sigterm";
};

}  // namespace prof::cli
