// A verb of the command line: one file each, listed in main.cpp.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace prof::cli {

class Verb {
 public:
  virtual ~Verb() = default;
  virtual const char* name() const = 0;
  // What users of other tools type for it.
  virtual const char* other_name() const { return ""; }
  virtual const char* summary() const = 0;
  // Declares the options.
  virtual void define(CLI::App& app) = 0;
  // True if everything from the first non-option on belongs to another program.
  virtual bool takes_command() const { return false; }
  // Runs with the options that define() bound; `command` as described above. Returns the exit
  // status.
  virtual int run(const std::vector<std::string>& command) = 0;
};

// Adds a boolean option in nsys's manner: `--name=true`, `--name true`, `-n true`, or just
// `--name`.
CLI::Option* add_bool(CLI::App& app, const std::string& names, bool& target,
                      const std::string& help);

}  // namespace prof::cli
