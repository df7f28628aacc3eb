// The --python-* options of prof profile, by nsys's names.
#pragma once

#include <CLI/CLI.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "collector/session/options/session_options.hpp"

namespace prof::cli {

class PythonOptions {
 public:
  void define(CLI::App& app);

  // Throws Failure for a list that makes no sense.
  void apply(session::SessionOptions& options) const;
  // For META_DATA_CAPTURE.
  void describe(std::vector<std::pair<std::string, std::string>>& rows) const;

 private:
  std::string functions_;
  std::string pytorch_ = "none";
  std::string backtrace_ = "none";
  bool sampling_ = false;
  std::uint32_t frequency_ = 1000;
};

}  // namespace prof::cli
