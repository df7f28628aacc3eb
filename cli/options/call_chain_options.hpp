// The options of prof profile about native call chains of calls, by nsys's names.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "collector/session/options/session_options.hpp"

namespace prof::cli {

class BacktraceOptions {
 public:
  void define(CLI::App& app);
  // Once it is known what is traced and sampled. Throws Failure for a list that makes no sense.
  void apply(session::SessionOptions& options) const;
  // For META_DATA_CAPTURE.
  void describe(std::vector<std::pair<std::string, std::string>>& rows) const;

 private:
  std::uint64_t osrt_threshold_ = 80'000;
  std::optional<std::uint32_t> osrt_depth_;
  std::uint32_t osrt_stack_bytes_ = 6144;
  std::string cuda_ = "none";
};

}  // namespace prof::cli
