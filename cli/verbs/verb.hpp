// A verb of the command line. Each verb is in a separate file. verbs.cpp lists them.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

#include "cli/messages/message.hpp"

namespace prof::cli {

struct OptionGroup {
  std::function<void(CLI::App&)> define;
  bool is_frequent = false;  // most command lines have an option of this group
};

class Verb {
 public:
  virtual ~Verb() = default;
  virtual const char* name() const = 0;
  // Another name of the verb, which users of nsys know.
  virtual const char* other_name() const { return ""; }
  virtual const char* summary() const = 0;
  // Declares the options of the verb.
  virtual void define(CLI::App& app) = 0;
  // Returns the parts of define() if the verb has many options. Empty: it has few.
  virtual std::vector<OptionGroup> groups() { return {}; }
  // True if everything after the options is the command line of another program.
  virtual bool takes_command() const { return false; }
  // Returns the words that an option or a positional argument takes, for completion; separated by
  // commas if it takes a list. The function is not called for options that list their words in
  // their type name.
  virtual std::vector<std::string> words_of(const std::string& /*name*/) const { return {}; }
  // Gets the words of the command line after the verb, before run(). For verbs that send them to
  // another process.
  virtual void take_words(const std::vector<std::string>& /*words*/) {}
  // Gets lines about options of nsys that prof ignores, before run(). Prints them.
  virtual void take_notes(const std::vector<std::string>& notes) {
    for (const std::string& note : notes) print_message("prof: {}\n", note);
  }
  // Runs with the options that define() declared. `command`: see takes_command(). Returns the exit
  // status.
  virtual int run(const std::vector<std::string>& command) = 0;
};

}  // namespace prof::cli
