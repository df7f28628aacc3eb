// CLI11 compares the names of each new option with those of all options. With sixty that takes
// half a millisecond. The options that are defined while an object of this class exists are
// compared with each other only; tests/unit compares all.
#pragma once

#include <CLI/CLI.hpp>
#include <iterator>
#include <utility>
#include <vector>

namespace prof::cli {

class DefinedApart {
 public:
  explicit DefinedApart(CLI::App& app)
      : options_(Access::options(app)), others_(std::exchange(options_, {})) {}
  DefinedApart(const DefinedApart&) = delete;
  DefinedApart& operator=(const DefinedApart&) = delete;
  ~DefinedApart() {
    others_.insert(others_.end(), std::make_move_iterator(options_.begin()),
                   std::make_move_iterator(options_.end()));
    options_ = std::move(others_);
  }

 private:
  using Options = std::vector<CLI::Option_p>;
  struct Access : CLI::App {
    static Options& options(CLI::App& app) { return app.*(&Access::options_); }
  };

  Options& options_;
  Options others_;
};

}  // namespace prof::cli
