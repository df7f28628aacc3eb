#include "cli/options/metrics/plugin_options.hpp"

#include <algorithm>

#include "cli/messages/failure.hpp"
#include "cli/options/words/nsys_options.hpp"

namespace prof::cli {

namespace {

// Returns the words between commas. A comma after a backslash does not separate words; both stay in
// the word.
std::vector<std::string> separated_words(const std::string& text) {
  std::vector<std::string> words(1);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == ',') {
      words.emplace_back();
      continue;
    }
    words.back() += text[i];
    if (text[i] == '\\' && i + 1 < text.size()) words.back() += text[++i];
  }
  return words;
}

// Returns the text without plugins of nsys that prof does not have. Their arguments, which may be
// lists, are removed, too.
std::string without_nsys_plugins(const std::string& text, session::SessionOptions& options) {
  std::string kept;
  const std::vector<std::string> known = metrics::plugin_names();
  bool is_left_out = false;
  for (const std::string& word : separated_words(text)) {
    if (find_nsys_value("--enable", word) != nullptr) {
      is_left_out = true;
      options.warnings.push_back(note_on_value("--enable", word));
    } else if (std::ranges::find(known, word) != known.end()) {
      is_left_out = false;
    }
    if (!is_left_out) kept += (kept.empty() ? "" : ",") + word;
  }
  return kept;
}

void take_plugins(const std::string& given, session::SessionOptions& options, bool& asks_for_help) {
  asks_for_help = asks_for_help || metrics::asks_for_plugin_help(given);
  if (asks_for_help) return;
  const std::string text = without_nsys_plugins(given, options);
  if (text.empty() && !given.empty()) return;
  auto requests = metrics::parse_plugins(text);
  if (!requests) throw Failure("--enable: " + requests.error().message, kBadUsage);
  for (metrics::PluginRequest& each : *requests) options.plugins.push_back(std::move(each));
}

}  // namespace

std::vector<std::string> plugin_words() {
  std::vector<std::string> names = metrics::plugin_names();
  names.emplace_back("help");
  return names;
}

void add_plugin_options(CLI::App& app, session::SessionOptions& options, bool& asks_for_help) {
  app.add_option_function<std::vector<std::string>>(
         "--enable",
         [&options, &asks_for_help](const std::vector<std::string>& texts) {
           for (const std::string& text : texts) take_plugins(text, options, asks_for_help);
         },
         "Counters to sample, each with its arguments: NAME,-iMS,…; help lists them; may be given "
         "several times")
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->type_name("NAME[,ARGUMENT]…");
}

}  // namespace prof::cli
