// The options of prof profile about CPU samples and scheduling, by nsys's names.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <utility>
#include <vector>

#include "collector/session/options/session_options.hpp"

namespace prof::cli {

class CpuOptions {
 public:
  void define(CLI::App& app);
  void apply(session::SessionOptions& options) const;
  // For META_DATA_CAPTURE.
  void describe(std::vector<std::pair<std::string, std::string>>& rows) const;

 private:
  std::string sample_ = "none";
  std::string switches_ = "none";
  std::string backtrace_ = "auto";
  std::string method_ = "auto";
  std::uint32_t frequency_ = 1000;
  std::uint64_t period_ = 0;
  std::uint32_t samples_per_backtrace_ = 1;
  std::uint32_t stack_bytes_ = 24576;
};

}  // namespace prof::cli
