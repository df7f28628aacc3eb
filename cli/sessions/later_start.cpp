#include "cli/sessions/later_start.hpp"

#include <filesystem>

#include "cli/messages/failure.hpp"
#include "cli/sessions/launched_program.hpp"

namespace prof::cli {

namespace {

using Words = std::vector<std::string>;

struct SplitWords {
  Words launch;
  Words start;
  Words notes;
};

// Makes the path relative to the root, because prof start may run in another folder than this
// command.
std::string with_absolute_path(const std::string& word) {
  const std::size_t value = word.find('=') + 1;
  return word.substr(0, value) + std::filesystem::absolute(word.substr(value)).string();
}

// Passes each option to the command that has it. The options of prof start are checked first,
// because those of a report are for flight recorders only in prof launch.
SplitWords split_words(const Words& words) {
  session::SessionOptions unused;
  CLI::App launch_app, start_app;
  LaunchOptions launch(unused);
  StartOptions start(unused);
  launch.define(launch_app);
  start.define(start_app);
  SplitWords split;
  Words* target = nullptr;
  for (const std::string& word : words) {
    if (word.empty()) {  // the value of the previous word
      if (target != nullptr) target->push_back(word);
      continue;
    }
    const std::string option = word.substr(0, word.find('='));
    const bool is_of_session = option.starts_with("--session");
    target = nullptr;
    if (option == "--start-later" || option == "--ranks") continue;  // done
    if (!is_of_session && start_app.get_option_no_throw(option) != nullptr)
      target = &split.start;
    else if (launch_app.get_option_no_throw(option) != nullptr)
      target = &split.launch;
    else
      split.notes.push_back(option + ": no effect with --start-later");
    if (target != nullptr)
      target->push_back(option == "--output" ? with_absolute_path(word) : word);
  }
  return split;
}

}  // namespace

int launch_to_start_later(const std::vector<std::string>& words, std::vector<std::string> notes,
                          const std::vector<std::string>& command) {
  refuse_outer_prof();
  const SplitWords split = split_words(words);
  notes.insert(notes.end(), split.notes.begin(), split.notes.end());
  session::SessionOptions unused;
  StartOptions start(unused);
  read_words(start, split.start, "start", false);  // reads them now to find errors
  session::SessionOptions options;
  LaunchOptions launch(options);
  read_words(launch, split.launch, "launch", true);
  if (options.flight.is_on())
    throw Failure("--start-later does not go with --flight-recorder, which begins at once",
                  kBadUsage);
  return run_in_session({options, launch, split.launch, split.start, notes}, command);
}

}  // namespace prof::cli
