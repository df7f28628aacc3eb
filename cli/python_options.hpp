// The --python-* options of prof profile, by nsys's names.
#pragma once

#include <CLI/CLI.hpp>

#include <cstdint>
#include <string>

#include "collector/session/session_options.hpp"

namespace prof::cli {

class PythonOptions {
 public:
  void define(CLI::App& app);

  // Throws Failure for a list that makes no sense.
  void apply(session::SessionOptions& options) const;

 private:
  std::string functions_;
  std::string pytorch_ = "none";
  std::string backtrace_ = "none";
  bool sampling_ = false;
  std::uint32_t frequency_ = 1000;
};

}  // namespace prof::cli
