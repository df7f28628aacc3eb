#include "cli/options/words/option_file.hpp"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <utility>

#include "cli/messages/failure.hpp"
#include "common/base/text_file.hpp"

namespace prof::cli {

namespace {

constexpr char kCommandFile[] = "--command-file";

std::string defaults_path() {
  const char* config = std::getenv("XDG_CONFIG_HOME");
  if (config != nullptr && config[0] == '/') return std::string(config) + "/prof/defaults";
  const char* home = std::getenv("HOME");
  return home == nullptr ? "" : std::string(home) + "/.config/prof/defaults";
}

// Returns the words of the lines that begin with the verb.
std::vector<std::string> default_words(const std::string& verb) {
  const std::string path = defaults_path();
  std::vector<std::string> words;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const std::vector<std::string> parts = words_of_text(line, path);
    if (!parts.empty() && parts[0] == verb)
      words.insert(words.end(), parts.begin() + 1, parts.end());
  }
  return words;
}

// Returns "--name" for "--name=value".
std::string name_in(const std::string& option) { return option.substr(0, option.find('=')); }

bool has_option(const std::vector<std::string>& options, const std::string& name) {
  return std::any_of(options.begin(), options.end(),
                     [&](const std::string& each) { return name_in(each) == name; });
}

// Puts the words before the options. Leaves out words for options that the command line already
// has.
void add_before(SplitArguments& split, OptionSet& known, const std::string& verb,
                const std::vector<std::string>& words, const std::string& source) {
  SplitArguments added;
  try {
    added = split_arguments(known, verb, words, false);
  } catch (const Failure& failure) {
    throw Failure(source + ": " + failure.what(), failure.status());
  }
  for (const std::string& each : added.options)
    if (!each.starts_with("--"))
      throw Failure(source + ": " + each + " is not an option", kBadUsage);
  std::erase_if(added.options,
                [&](const std::string& each) { return has_option(split.options, name_in(each)); });
  split.options.insert(split.options.begin(), added.options.begin(), added.options.end());
  split.notes.insert(split.notes.end(), added.notes.begin(), added.notes.end());
}

}  // namespace

std::vector<std::string> words_of_text(const std::string& text, const std::string& source) {
  std::vector<std::string> words;
  std::string word;
  bool in_word = false;
  char quote = '\0';
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != '\0') {
      c == quote ? static_cast<void>(quote = '\0') : word.push_back(c);
    } else if (c == '\'' || c == '"') {
      quote = c;
      in_word = true;
    } else if (c == '#' && !in_word) {
      i = std::min(text.find('\n', i), text.size());
    } else if (std::isspace(static_cast<unsigned char>(c)) == 0) {
      word.push_back(c);
      in_word = true;
    } else if (in_word) {
      words.push_back(std::exchange(word, {}));
      in_word = false;
    }
  }
  if (quote != '\0') throw Failure(source + ": a quotation mark is missing", kBadUsage);
  if (in_word) words.push_back(word);
  return words;
}

void add_command_file(CLI::App& app, std::string& path) {
  app.add_option(kCommandFile, path,
                 "Read options from a file, too. Those of the command line win. Options of "
                 "~/.config/prof/defaults count least: its lines begin with a verb")
      ->type_name("FILE");
}

void add_files(OptionSet& known, const std::string& verb, SplitArguments& split) {
  const std::vector<std::string> given = split.options;
  for (const std::string& option : given) {
    if (name_in(option) != kCommandFile) continue;
    const std::string path = option.substr(std::min(option.size(), sizeof kCommandFile));
    if (path.empty())
      throw Failure(std::string(kCommandFile) + ": the name of the file is empty", kBadUsage);
    const auto text = base::read_text_file(path);
    if (!text)
      throw Failure(std::string(kCommandFile) + ": cannot read " + path + ": " + strerror(errno),
                    kBadUsage);
    add_before(split, known, verb, words_of_text(*text, path), path);
  }
  if (known.find(kCommandFile) == nullptr) return;
  add_before(split, known, verb, default_words(verb), defaults_path());
  std::erase_if(split.options,
                [](const std::string& each) { return name_in(each) == kCommandFile; });
}

}  // namespace prof::cli
