#include "cli/messages/failure_output.hpp"

#include <cstddef>
#include <string_view>

#include "cli/messages/failure.hpp"
#include "cli/messages/message.hpp"
#include "common/base/text/json.hpp"

namespace prof::cli {

namespace {

ErrorFormat g_format = ErrorFormat::kText;

std::string& failing_verb() {
  static std::string verb;
  return verb;
}

constexpr std::string_view kOfValue = "Could not convert: ";  // CLI11's

// Returns the option that a message begins with, as in "--rows: 0 is too small" and "unknown option
// --row"; empty if it begins with another word.
std::string option_in(std::string_view message) {
  for (const std::string_view before :
       {kOfValue, std::string_view("unknown "), std::string_view("option ")})
    if (message.starts_with(before)) message.remove_prefix(before.size());
  if (!message.starts_with('-')) return "";
  return std::string(message.substr(0, message.find_first_of(" :;=,")));
}

// Returns the command in "(see prof stats --help)". Empty if a message has none.
std::string command_in(std::string_view message) {
  constexpr std::string_view kBefore = "(see prof ";
  const std::size_t at = message.rfind(kBefore);
  if (at == std::string_view::npos) return "";
  message.remove_prefix(at + std::string_view("(see ").size());
  return std::string(message.substr(0, message.find(')')));
}

// Returns the word that base::suggestion() has added to a message. Empty: none.
std::string suggested_word(std::string_view message) {
  constexpr std::string_view kBefore = "; did you mean ";
  const std::size_t at = message.rfind(kBefore);
  if (at == std::string_view::npos) return "";
  message.remove_prefix(at + kBefore.size());
  return std::string(message.substr(0, message.find('?')));
}

std::string help_of(const std::string& verb) {
  return verb.empty() ? "prof --help" : "prof " + verb + " --help";
}

// "--rows: 0 is too small" and "--rows=0: too small" are about the value, "--rows needs a folder"
// is not.
bool is_about_value(const std::string& message, const std::string& option) {
  const std::size_t end = message.find(option) + option.size();
  return !option.empty() &&
         (message.starts_with(kOfValue) || message.find_first_of(":=", end) == end);
}

const char* usual_code(const std::string& message, bool is_usage, const std::string& option) {
  if (!is_usage) return "failed";
  if (is_about_value(message, option)) return "wrong_value";
  return message.starts_with("unknown ") ? "unknown_name" : "usage";
}

void add(base::Json& json, const char* name, const std::string& text) {
  json.key(name);
  if (text.empty())
    json.null();
  else
    json.value(text);
}

}  // namespace

void set_error_format(ErrorFormat format) { g_format = format; }
void set_failing_verb(const std::string& verb) { failing_verb() = verb; }
ErrorFormat error_format() { return g_format; }

std::string failure_json(const std::string& message, int status, const char* code,
                         const std::string& verb) {
  const bool is_usage = status == kBadUsage;
  const std::string option = option_in(message);
  std::string next = command_in(message);
  if (next.empty() && is_usage) next = help_of(verb);
  base::Json json;
  json.begin_object().pair("code", *code != '\0' ? code : usual_code(message, is_usage, option));
  json.pair("message",
            message.empty() ? "a program that prof started has failed and said why" : message);
  add(json, "option", option);
  add(json, "did_you_mean", suggested_word(message));
  add(json, "next", next);
  json.end_object();
  return base::visible_json(json.text());
}

void print_failure(const std::string& message, int status, const char* code) {
  if (error_format() == ErrorFormat::kJson)
    print_message("{}\n", failure_json(message, status, code, failing_verb()));
  else if (!message.empty())
    print_message("prof: {}\n", message);
}

}  // namespace prof::cli
