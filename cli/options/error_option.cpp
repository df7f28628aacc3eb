#include "cli/options/error_option.hpp"

#include <cstddef>
#include <string_view>

#include "cli/messages/failure.hpp"
#include "cli/messages/failure_output.hpp"

namespace prof::cli {

namespace {

constexpr char kName[] = "--errors";

void set_format(const std::string& value) {
  if (value != "text" && value != "json")
    throw Failure(std::string(kName) + ": " + value + " is neither text nor json", kBadUsage);
  set_error_format(value == "json" ? ErrorFormat::kJson : ErrorFormat::kText);
}

}  // namespace

void add_error_option(CLI::App& app) {
  app.add_option(kName, "How to print the error that ends prof: for people, or as a JSON object")
      ->type_name("text|json")
      ->default_str("text");
}

void take_error_option(std::vector<std::string>& words) {
  const std::string with_value = std::string(kName) + '=';
  for (std::size_t at = 0; at < words.size() && words[at] != "--";) {
    const bool is_apart = words[at] == kName;  // the value is the next word
    if (!is_apart && !words[at].starts_with(with_value)) {
      ++at;
      continue;
    }
    if (is_apart && at + 1 == words.size())
      throw Failure(std::string("option ") + kName + " needs a value", kBadUsage, "missing_value");
    const std::string value = is_apart ? words[at + 1] : words[at].substr(with_value.size());
    const auto first = words.begin() + static_cast<std::ptrdiff_t>(at);
    words.erase(first, first + (is_apart ? 2 : 1));
    set_format(value);
  }
}

}  // namespace prof::cli
