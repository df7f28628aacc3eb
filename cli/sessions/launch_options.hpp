// The options of prof launch and prof start. Both the command and the session's collector read
// them.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "cli/options/capture_range_options.hpp"
#include "cli/options/recording/recording_options.hpp"
#include "collector/session/options/session_options.hpp"

namespace prof::cli {

// The session that a command is for.
struct SessionChoice {
  std::string existing;  // --session
  std::string fresh;     // --session-new
};
void add_session(CLI::App& app, SessionChoice& choice);
void add_new_session(CLI::App& app, SessionChoice& choice);

// The options of prof launch: what is traced of the programs, and how they run.
class LaunchOptions {
 public:
  explicit LaunchOptions(session::SessionOptions& options) : options_(options) {}
  void define(CLI::App& app);
  // Adds the options that prof attach has, too.
  void define_tracing(CLI::App& app);
  // Completes the options. Throws Failure.
  void resolve();

  SessionChoice session;
  std::string output;  // path of a flight recorder's reports

 private:
  session::SessionOptions& options_;
  CaptureRangeWords ranges_;
  std::string command_file_;
};

// Returns the words of prof launch that concern collections: how CPUs are sampled.
std::vector<std::string> words_for_start(const std::vector<std::string>& words);

inline constexpr char kDefaultOutput[] = "report%n";

// The options of prof start: what a collection records in addition, and its reports.
class StartOptions {
 public:
  explicit StartOptions(session::SessionOptions& options) : options_(options) {
    ranges_.end = "stop";
  }
  void define(CLI::App& app);
  // Adds the options that prof attach has, too.
  void define_collection(CLI::App& app);
  void resolve();
  // Prints the lists that an option with the word "help" asks for. Returns false if none does.
  bool print_help() const;
  std::string why_never_entered() const {
    return ranges_.at_step.empty()
               ? cli::why_never_entered(ranges_)
               : "--at-step " + ranges_.at_step + ": the collection ended before that step";
  }

  SessionChoice session;
  std::string output = kDefaultOutput;
  ReportWork work;

 private:
  session::SessionOptions& options_;
  CaptureRangeWords ranges_;
  std::string command_file_;
  bool plugin_help_ = false;
};

// Reads words of a command line into options that were defined on an app. Throws Failure.
template <class Options>
void read_words(Options& options, const std::vector<std::string>& words, const std::string& verb,
                bool takes_command);

extern template void read_words(LaunchOptions&, const std::vector<std::string>&, const std::string&,
                                bool);
extern template void read_words(StartOptions&, const std::vector<std::string>&, const std::string&,
                                bool);

}  // namespace prof::cli
