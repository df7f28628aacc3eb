// Options of prof kernel that print profiles as Nsight Compute does.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace prof::cli {

class KernelPage {
 public:
  void define(CLI::App& app);
  // True if the command line asks for a report's page instead of a plan or a recording.
  bool is_asked_for() const { return !report_.empty(); }
  int print() const;

 private:
  std::string report_;
  std::string page_ = "details";
  std::string units_ = "auto";
  bool csv_ = false;
};

}  // namespace prof::cli
